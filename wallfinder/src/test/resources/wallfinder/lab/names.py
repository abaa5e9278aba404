"""A name server that knows one address for every name, and answers after --delay milliseconds."""
import argparse
import asyncio
import socket

options = argparse.ArgumentParser()
options.add_argument("--address", default="0.0.0.0")
options.add_argument("--delay", type=float, default=0)
options.add_argument("--silent", action="store_true", help="never answer")
options = options.parse_args()

ADDRESS = socket.inet_aton("198.18.0.1")
A = b"\x00\x01"


def question(query):
    """The end of the name and the type of the first question."""
    at = 12
    while query[at]:
        at += query[at] + 1
    return at + 5, query[at + 1 : at + 3]


def answer(query):
    end, kind = question(query)
    records = b""
    if kind == A:
        records = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04" + ADDRESS
    counts = b"\x00\x01" + (b"\x00\x01" if records else b"\x00\x00") + b"\x00\x00\x00\x00"
    return query[:2] + b"\x81\x80" + counts + query[12:end] + records


class Server(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport
        print("ready", flush=True)

    def datagram_received(self, query, sender):
        if not options.silent:
            asyncio.get_running_loop().call_later(
                options.delay / 1e3, self.transport.sendto, answer(query), sender
            )


async def main():
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Server, local_addr=(options.address, 53))
    await asyncio.Event().wait()


asyncio.run(main())
