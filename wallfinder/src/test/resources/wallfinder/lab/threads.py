"""An HTTP/1.1 server with a thread for each connection. Arguments: port, milliseconds a request, and
optionally user:N, maps:N or ask:NAME. With user:N it runs as a user of its own who may have N tasks. With maps:N it
leaves itself only N memory maps. With ask:NAME each thread keeps a connection to the service at the abstract unix
socket NAME, and sends each request on to it instead of waiting."""
import ctypes
import os
import resource
import socket
import sys
import threading
import time

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
QUESTION = b"GET / HTTP/1.1\r\nHost: behind\r\n\r\n"
port, millis = int(sys.argv[1]), float(sys.argv[2])
behind = None


def limit_user(number):
    tasks = int(number)
    os.setgroups([])
    os.setuid(54321)
    resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))


def limit_maps(number):
    """Neighbouring pages with different rights cannot share a map."""
    left = int(number)
    with open("/proc/sys/vm/max_map_count") as limit, open("/proc/self/maps") as maps:
        pages = int(limit.read()) - len(maps.readlines()) - left
    c = ctypes.CDLL(None)
    c.mmap.restype = ctypes.c_void_p
    start = c.mmap(None, ctypes.c_size_t(4096 * pages), 0, 0x22, -1, ctypes.c_long(0))
    for page in range(0, pages, 2):
        c.mprotect(ctypes.c_void_p(start + 4096 * page), 4096, 1)


def ask_behind(name):
    global behind
    behind = "\0" + name


def ask(other):
    other.sendall(QUESTION)
    answer = b""
    while not answer.endswith(b"ok\n"):
        answer += other.recv(4096)


def serve(connection):
    other = socket.socket(socket.AF_UNIX)
    if behind:
        other.connect(behind)
    received = b""
    with connection, other:
        while True:
            try:
                data = connection.recv(4096)
            except OSError:
                return
            if not data:
                return
            received += data
            while b"\r\n\r\n" in received:
                _, _, received = received.partition(b"\r\n\r\n")
                if behind:
                    ask(other)
                else:
                    time.sleep(millis / 1e3)
                connection.sendall(ANSWER)


listener = socket.create_server(("0.0.0.0", port), backlog=1024)
threading.stack_size(256 * 1024)
for kind, _, number in [argument.partition(":") for argument in sys.argv[3:]]:
    {"user": limit_user, "maps": limit_maps, "ask": ask_behind}[kind](number)
print("ready", flush=True)
while True:
    accepted, _ = listener.accept()
    try:
        threading.Thread(target=serve, args=(accepted,), daemon=True).start()
    except RuntimeError:  # can't start new thread
        accepted.close()
