"""Opens connections to one address, holds them together for a while, and counts what failed."""
import socket
import sys
import time

host, port, wanted, hold = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
held = []
errors = 0
for _ in range(wanted):
    try:
        connection = socket.socket()
        connection.connect((host, port))
        held.append(connection)
    except OSError:
        errors += 1
time.sleep(hold)
print(f"opened: {len(held)} errors: {errors}", flush=True)
