"""A small HTTP/1.1 server that looks a name up for each request.

A thread for each connection, --workers requests at a time. After the lookup a request waits
--latency milliseconds and burns --cpu milliseconds. Without an answer for the name it answers 502.
It caches answers for --keep seconds. With --beside, requests look nothing up, and a separate thread
looks names up all the time.
"""
import argparse
import concurrent.futures
import socket
import threading
import time

options = argparse.ArgumentParser()
options.add_argument("--port", type=int, required=True)
options.add_argument("--name", default="backend.test")
options.add_argument("--workers", type=int, default=1000)
options.add_argument("--latency", type=float, default=0)
options.add_argument("--cpu", type=float, default=0)
options.add_argument("--keep", type=float, default=0)
options.add_argument("--beside", action="store_true")
options = options.parse_args()

# They take the requests in turn. Threads that wait for a semaphore may starve.
workers = concurrent.futures.ThreadPoolExecutor(options.workers)
kept_until = 0


def look_up():
    global kept_until
    if time.monotonic() < kept_until:
        return True
    try:
        socket.getaddrinfo(options.name, 80, socket.AF_INET, socket.SOCK_STREAM)
        kept_until = time.monotonic() + options.keep
        return True
    except OSError:
        return False


def look_up_forever():
    while True:
        look_up()
        time.sleep(0.01)


def work():
    found = options.beside or look_up()
    time.sleep(options.latency / 1e3)
    end = time.thread_time() + options.cpu / 1e3
    while time.thread_time() < end:
        pass
    return b"200 OK" if found else b"502 Bad Gateway"


def serve(connection):
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            data = connection.recv(4096)
            if not data:
                connection.close()
                return
            received += data
        received = received.partition(b"\r\n\r\n")[2]
        connection.sendall(b"HTTP/1.1 " + workers.submit(work).result() + b"\r\nContent-Length: 3\r\n\r\nok\n")


def guarded(connection):
    try:
        serve(connection)
    except OSError:
        connection.close()


if options.beside:
    threading.Thread(target=look_up_forever, daemon=True).start()
listener = socket.create_server(("0.0.0.0", options.port), backlog=1024)
print("ready", flush=True)
while True:
    accepted, _ = listener.accept()
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=guarded, args=(accepted,), daemon=True).start()
