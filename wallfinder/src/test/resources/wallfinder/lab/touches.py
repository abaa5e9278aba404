"""An HTTP/1.1 server that writes to random pages of its own memory for each request, one request at a time.

Arguments: port, megabytes, pages a request, and how many of the megabytes the requests need; default all.
"""
import asyncio
import os
import random
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
PAGE = 4096
port, megabytes, touches = (int(argument) for argument in sys.argv[1:4])
needed = int(sys.argv[4]) if len(sys.argv) > 4 else megabytes

# The kernel does not write pages of zeros to swap, so these have random bytes.
pages = bytearray(megabytes << 20)
for megabyte in range(megabytes):
    pages[megabyte << 20:megabyte + 1 << 20] = os.urandom(1 << 20)
count = (needed << 20) // PAGE


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            _, _, self.received = self.received.partition(b"\r\n\r\n")
            for _ in range(touches):
                pages[random.randrange(count) * PAGE] ^= 1
            self.transport.write(ANSWER)


async def main():
    server = await asyncio.get_running_loop().create_server(Connection, "0.0.0.0", port)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
