"""A small HTTP/1.1 server that reads a request's body only after --latency milliseconds.

It has a thread for each connection. Meanwhile the body is in the kernel's buffers.
"""
import argparse
import re
import socket
import threading
import time

options = argparse.ArgumentParser()
options.add_argument("--port", type=int, required=True)
options.add_argument("--latency", type=float, default=0)
options = options.parse_args()

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def received(connection):
    data = connection.recv(65536)
    if not data:
        raise OSError("closed")
    return data


def serve(connection):
    data = b""
    while True:
        while b"\r\n\r\n" not in data:
            data += received(connection)
        head, _, data = data.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        left = (int(length.group(1)) if length else 0) - len(data)
        time.sleep(options.latency / 1e3)
        while left > 0:
            left -= len(received(connection))
        data = b""
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")


def guarded(connection):
    try:
        serve(connection)
    except OSError:
        connection.close()


listener = socket.create_server(("0.0.0.0", options.port), backlog=1024)
print("ready", flush=True)
while True:
    accepted, _ = listener.accept()
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=guarded, args=(accepted,), daemon=True).start()
