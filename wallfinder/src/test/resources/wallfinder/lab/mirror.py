"""An echo server on one or several ports, with one or several processes.

--every SECONDS: accepts waiting connections only this often."""

import argparse
import os
import selectors
import socket
import time

options = argparse.ArgumentParser()
options.add_argument("--port", type=int, default=8081)
options.add_argument("--ports", type=int, default=1)
options.add_argument("--backlog", type=int, default=4096)
options.add_argument("--workers", type=int, default=1)
options.add_argument("--every", type=float, default=0)
given = options.parse_args()

listeners = []
for port in range(given.port, given.port + given.ports):
    listener = socket.create_server(("", port), backlog=given.backlog)
    listener.setblocking(False)
    listeners.append(listener)
for _ in range(given.workers - 1):
    if os.fork() == 0:
        break
else:
    print("ready", flush=True)

poll = selectors.EpollSelector()
if not given.every:
    for listener in listeners:
        poll.register(listener, selectors.EVENT_READ)


def take(listener, most):
    for _ in range(most):
        try:
            taken, _ = listener.accept()
        except OSError:
            return
        taken.setblocking(False)
        poll.register(taken, selectors.EVENT_READ)


due = time.monotonic()
while True:
    for key, _ in poll.select(given.every / 10 if given.every else None):
        if key.fileobj in listeners:
            take(key.fileobj, 1)
            continue
        try:
            data = key.fileobj.recv(65536)
            if data:
                key.fileobj.sendall(data)
                continue
        except OSError:
            pass
        poll.unregister(key.fileobj)
        key.fileobj.close()
    if given.every and time.monotonic() >= due:
        due = time.monotonic() + given.every
        for listener in listeners:
            take(listener, given.backlog + 1)
