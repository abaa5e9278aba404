"""Sends requests one after the other, over one connection or over a new one for each.

Arguments: host, port, requests, 1 to keep the connection. A failed connect is an error.
"""
import socket
import sys

host, port, requests, keep = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "1"
REQUEST = f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
connection = None
answered = errors = 0
for _ in range(requests):
    try:
        if connection is None:
            connection = socket.create_connection((host, port), 10)
        connection.sendall(REQUEST)
        if connection.recv(4096).startswith(b"HTTP/1.1 200"):
            answered += 1
    except OSError:
        errors += 1
    if connection is not None and not keep:
        connection.close()
        connection = None
print(f"answered: {answered} errors: {errors}", flush=True)
