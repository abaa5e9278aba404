"""Writes 4,096 files of 64 kB, and starts a program that has to read them from the disk.

`cold.py FOLDER COMMAND...`; their names are 000 to fff.
"""
import os
import sys

folder = sys.argv[1]
names = [f"{folder}/{number:03x}" for number in range(4096)]
os.makedirs(folder, exist_ok=True)
for name in names:
    with open(name, "wb") as file:
        file.write(bytes(1 << 16))
os.sync()
for name in names:
    with open(name, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
os.execvp(sys.argv[2], sys.argv[2:])
