"""A small HTTP/1.1 server that rejects requests as its options say.

It has one event loop. A request takes --latency milliseconds, at most --workers of them at a time;
the others wait. With --ask, it asks the server on that port instead. With more than --limit requests at once, or more than --rate a second after a burst of
--burst, it answers --status: at once, or after --patience milliseconds. With --all it rejects every request.
"""
import argparse
import asyncio
import time

options = argparse.ArgumentParser()
options.add_argument("--host", default="0.0.0.0")
options.add_argument("--port", type=int, required=True)
options.add_argument("--latency", type=float, default=0)
options.add_argument("--workers", type=int, default=0, help="requests at a time; 0: any number")
options.add_argument("--ask", type=int, help="a port of this host")
options.add_argument("--limit", type=int, default=0, help="requests at once; 0: any number")
options.add_argument("--rate", type=float, default=0, help="requests a second; 0: any number")
options.add_argument("--burst", type=float, default=5)
options.add_argument("--patience", type=float, default=0)
options.add_argument("--status", type=int, default=503)
options.add_argument("--all", action="store_true")
options = options.parse_args()

workers = asyncio.Semaphore(options.workers) if options.workers else None
inside = 0
tokens = options.burst
counted = time.monotonic()


def answer(status):
    return b"HTTP/1.1 %d x\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n" % status


GOOD = answer(200)
BAD = answer(options.status)


def too_fast():
    global tokens, counted
    now = time.monotonic()
    tokens = min(options.burst, tokens + (now - counted) * options.rate)
    counted = now
    if tokens < 1:
        return True
    tokens -= 1
    return False


def rejected():
    full = options.limit and inside >= options.limit
    return options.all or full or (options.rate and too_fast())


async def work():
    if options.ask:
        reader, writer = await asyncio.open_connection("127.0.0.1", options.ask)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        await reader.read()
        writer.close()
    else:
        await asyncio.sleep(options.latency / 1e3)


async def answered():
    global inside
    if rejected():
        if options.patience:
            await asyncio.sleep(options.patience / 1e3)
        return BAD
    inside += 1
    try:
        if workers:
            async with workers:
                await work()
        else:
            await work()
    finally:
        inside -= 1
    return GOOD


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            _, _, self.received = self.received.partition(b"\r\n\r\n")
            asyncio.ensure_future(self.answer())

    async def answer(self):
        answer = await answered()
        if not self.transport.is_closing():
            self.transport.write(answer)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, options.host, options.port, backlog=1024)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
