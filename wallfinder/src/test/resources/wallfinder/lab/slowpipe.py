"""Starts a program and reads its output through a pipe: `slowpipe.py KILOBYTES COMMAND...`.

It reads that many kilobytes a second at most. It writes the first line to its own output, and drops the rest.
"""
import subprocess
import sys
import time

PART = 4096

rate = float(sys.argv[1]) * 1024
program = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, bufsize=0)
sys.stdout.write(program.stdout.readline().decode())
sys.stdout.flush()
due = time.monotonic()
while program.stdout.read(PART):
    due = max(due + PART / rate, time.monotonic() - 0.1)
    time.sleep(max(0, due - time.monotonic()))
