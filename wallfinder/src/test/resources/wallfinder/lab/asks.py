"""Looks a name up and connects to its address, TIMES times in a row. Arguments: NAME PORT TIMES."""
import socket
import sys

name, port, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
opened = 0
for _ in range(times):
    try:
        socket.create_connection((name, port), timeout=5).close()
        opened += 1
    except OSError as failure:
        print(failure)
print("opened: %d" % opened)
print("errors: %d" % (times - opened))
