"""An HTTP/1.1 server that reads random pages of a file for each request, one request at a time.

Arguments: port, file (this program makes it), its megabytes, pages a request.
"""
import asyncio
import mmap
import os
import random
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
port, path, megabytes, looks = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

with open(path, "wb") as made:
    for _ in range(megabytes):
        made.write(os.urandom(1 << 20))
        made.flush()
        os.fsync(made.fileno())
        os.posix_fadvise(made.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
file = open(path, "rb")
pages = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
pages.madvise(mmap.MADV_RANDOM)
count = len(pages) // mmap.PAGESIZE
for page in range(count):
    pages[page * mmap.PAGESIZE]


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            _, _, self.received = self.received.partition(b"\r\n\r\n")
            for _ in range(looks):
                pages[random.randrange(count) * mmap.PAGESIZE]
            self.transport.write(ANSWER)


async def main():
    server = await asyncio.get_running_loop().create_server(Connection, "0.0.0.0", port)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
