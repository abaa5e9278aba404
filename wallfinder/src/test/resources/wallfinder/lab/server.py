"""A small HTTP/1.1 server whose limits are all set by its options.

It has one event loop. It accepts connections in rounds: when one waits, it pauses for
--accept-pause milliseconds and then accepts all that wait. Each request burns --cpu milliseconds of
CPU, then waits --latency milliseconds, concurrently or, with --blocking, in the event loop,
and holds --memory KiB meanwhile. With --workers, it works on that many requests at a time, and leaves the
others unread in their sockets. The last byte of an answer follows --rest milliseconds after the
others, if the client is still there. One in --leak requests leaves a descriptor open. Each request
has --open files open meanwhile; if one cannot be opened, the connection closes without an answer.
Without a descriptor to accept with it tries again a little later, as asyncio does. The first --cold
answers take ten times the latency. The first answer of a connection takes --first milliseconds longer. After
--requests answers a connection closes. With --split it writes the head and the rest of an answer in two
parts. With --nodelay 0 it leaves Nagle's algorithm on. GET /counted answers how many other requests there were.
"""
import argparse
import asyncio
import errno
import socket
import time

options = argparse.ArgumentParser()
options.add_argument("--host", default="0.0.0.0")
options.add_argument("--port", type=int)
options.add_argument("--unix", help="listen on this abstract unix socket instead of a port")
options.add_argument("--backlog", type=int, default=1024)
options.add_argument("--workers", type=int, default=0, help="requests at a time; 0: any number")
options.add_argument("--latency", type=float, default=0)
options.add_argument("--cpu", type=float, default=0)
options.add_argument("--memory", type=int, default=0)
options.add_argument("--rest", type=float, default=0)
options.add_argument("--leak", type=int, default=0)
options.add_argument("--open", type=int, default=0, help="files a request")
options.add_argument("--cold", type=int, default=0)
options.add_argument("--first", type=float, default=0)
options.add_argument("--requests", type=int, default=0, help="of a connection; 0: any number")
options.add_argument("--body", type=int, default=3, help="bytes of an answer")
options.add_argument("--send-buffer", type=int, default=0, help="bytes; 0: the kernel decides")
options.add_argument("--knob", default="", help="does nothing")
options.add_argument("--split", action="store_true")
options.add_argument("--nodelay", type=int, default=1)
options.add_argument("--accept-pause", type=float, default=0)
options.add_argument("--reuseport", action="store_true", help="other servers may share the port")
options.add_argument("--blocking", action="store_true")
options = options.parse_args()

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % options.body
ANSWER += b"ok\n".rjust(options.body)
LAST = ANSWER.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

idle = {}  # the connections without a request, in the order in which they became idle
at_work = 0


def burn():
    end = time.thread_time() + options.cpu / 1e3
    while time.thread_time() < end:
        pass


leaked = []
asked = 0


async def work():
    global asked
    asked += 1
    if options.leak and asked % options.leak == 0:
        leaked.append(open("/dev/null"))
    files = []
    try:
        for _ in range(options.open):
            files.append(open("/dev/null"))
        return await wait()
    finally:
        for file in files:
            file.close()


async def wait():
    held = b"x" * (options.memory << 10)
    latency = options.latency * (10 if asked <= options.cold else 1)
    if options.cpu:
        burn()
    if options.blocking:
        time.sleep(latency / 1e3)
    elif latency:
        await asyncio.sleep(latency / 1e3)
    return len(held)


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""
        self.asked = 0
        self.closing = False
        connection = transport.get_extra_info("socket")
        if not options.unix:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, options.nodelay)
        # Python 3.11.2 starts to read after this method, and forgets a pause that was asked for in it.
        asyncio.get_running_loop().call_soon(self.wait)

    def connection_lost(self, _):
        idle.pop(self, None)

    def wait(self):
        idle[self] = None
        if at_work == options.workers > 0:
            self.transport.pause_reading()

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _, self.received = self.received.partition(b"\r\n\r\n")
            if head.startswith(b"GET /counted "):
                body = b"%d" % asked
                self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
                continue
            self.asked += 1
            asked_to_close = b"connection: close" in head.lower()
            self.closing = asked_to_close or self.asked == options.requests
            asyncio.ensure_future(self.answer(self.asked == 1))
            self.begin()

    def begin(self):
        global at_work
        at_work += 1
        idle.pop(self, None)
        if at_work == options.workers:
            for connection in idle:
                connection.transport.pause_reading()

    def end(self):
        global at_work
        if at_work == options.workers:
            for connection in idle:
                connection.transport.resume_reading()
        at_work -= 1
        self.wait()

    async def answer(self, first):
        try:
            if first:
                await asyncio.sleep(options.first / 1e3)
            await work()
        except OSError:
            self.transport.close()
            raise
        finally:
            self.end()
        answer = LAST if self.closing else ANSWER
        if options.rest:
            self.transport.write(answer[:-1])
            await asyncio.sleep(options.rest / 1e3)
        if not self.transport.is_closing():
            if options.split:
                self.transport.write(answer[:-3])
            last = 1 if options.rest else 3 if options.split else len(answer)
            self.transport.write(answer[-last:])
        if self.closing:
            self.transport.close()


def bound():
    if options.unix:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("\0" + options.unix)
        return listener
    listener = socket.socket(socket.AF_INET6 if ":" in options.host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if options.reuseport:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if options.send_buffer:  # connections inherit it
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, options.send_buffer)
    listener.bind((options.host, options.port))
    return listener


async def main():
    loop = asyncio.get_running_loop()
    listener = bound()
    listener.listen(options.backlog)
    listener.setblocking(False)
    print("ready", flush=True)
    while True:
        waiting = loop.create_future()
        loop.add_reader(listener, lambda: waiting.done() or waiting.set_result(None))
        await waiting
        loop.remove_reader(listener)
        await asyncio.sleep(options.accept_pause / 1e3)
        try:
            while True:
                accepted, _ = listener.accept()
                accepted.setblocking(False)
                await loop.connect_accepted_socket(Connection, accepted)
        except BlockingIOError:
            pass
        except OSError as failure:
            if failure.errno != errno.EMFILE:
                raise
            await asyncio.sleep(0.1)


asyncio.run(main())
