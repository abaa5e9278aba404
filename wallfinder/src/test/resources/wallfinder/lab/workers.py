"""A small HTTP/1.1 server in which each worker serves one connection until it ends.

Each of --workers threads accepts a connection when it has none. With --accept, the server accepts all
connections at once, and they wait for a worker. With --turn as well, a worker leaves a connection after so many
requests, and that connection waits for a worker again. A request waits --latency milliseconds,
waits --lock milliseconds with one of --locks locks in its hand, writes --log kilobytes to the standard output, and
--sync kilobytes to a file on the disk; only every --group-th request of a worker waits for the disk. With --hang, there are as many
threads as connections, and only --workers of them ever answer their tenth request.
"""
import argparse
import os
import queue
import socket
import tempfile
import threading
import time

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"

options = argparse.ArgumentParser()
options.add_argument("--port", type=int, required=True)
options.add_argument("--workers", type=int, required=True)
options.add_argument("--latency", type=float, default=0)
options.add_argument("--lock", type=float, default=0)
options.add_argument("--locks", type=int, default=1)
options.add_argument("--log", type=int, default=0)
options.add_argument("--sync", type=int, default=0)
options.add_argument("--group", type=int, default=1)
options.add_argument("--accept", action="store_true")
options.add_argument("--turn", type=int, default=0, help="requests; 0: a worker keeps its connection")
options.add_argument("--hang", action="store_true")
options = options.parse_args()
LINE = b"x" * (1024 * options.log)
BLOCK = b"x" * (1024 * options.sync)
disk = tempfile.TemporaryFile()
locks = [threading.Lock() for _ in range(options.locks)]

listener = socket.create_server(("0.0.0.0", options.port), backlog=1024)
answering = threading.Semaphore(options.workers)


def serve(connection):
    if answer(connection):
        accepted.put(connection)
    else:
        connection.close()


def answer(connection):
    """Answers the requests of a turn; false if the client has closed the connection."""
    served = 0
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            part = connection.recv(4096)
            if not part:
                return False
            received += part
        _, _, received = received.partition(b"\r\n\r\n")
        served += 1
        if options.hang and served == 10:
            answering.acquire()
        time.sleep(options.latency / 1e3)
        if options.lock:
            with locks[threading.get_native_id() % len(locks)]:
                time.sleep(options.lock / 1e3)
        if options.log:
            os.write(1, LINE)
        if options.sync:
            os.pwrite(disk.fileno(), BLOCK, 0)
            if served % options.group == 0:
                os.fsync(disk.fileno())
        connection.sendall(ANSWER)
        if served == options.turn:
            return True


def keep(source):
    while True:
        connection = source()
        try:
            serve(connection)
        except ConnectionError:
            connection.close()


def start(task, *arguments):
    threading.Thread(target=task, args=arguments, daemon=True).start()


accepted = queue.Queue()
source = accepted.get if options.accept else lambda: listener.accept()[0]
if not options.hang:
    for _ in range(options.workers):
        start(keep, source)
print("ready", flush=True)
if options.hang:
    while True:
        start(serve, listener.accept()[0])
elif options.accept:
    while True:
        accepted.put(listener.accept()[0])
threading.Event().wait()
