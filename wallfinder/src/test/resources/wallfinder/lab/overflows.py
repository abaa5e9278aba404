"""Lets its own accept queue overflow once, before the measurement, and then stays idle.

Arguments: port, connections. The queue holds two connections. The others are overflows in the
counters of this network namespace.
"""
import socket
import sys
import threading
import time

port, wanted = int(sys.argv[1]), int(sys.argv[2])
listener = socket.socket()
listener.bind(("127.0.0.1", port))
listener.listen(1)
tries = []
for _ in range(wanted):
    attempt = socket.socket()
    attempt.setblocking(False)
    attempt.connect_ex(("127.0.0.1", port))
    tries.append(attempt)
time.sleep(0.2)
for attempt in tries:
    attempt.close()
listener.close()
print("ready", flush=True)
threading.Event().wait()
