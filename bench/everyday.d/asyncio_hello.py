"""A web server on asyncio's streams with their defaults; it keeps connections."""
import asyncio
import sys


async def talk(reader, writer):
    try:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    server = await asyncio.start_server(talk, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()

asyncio.run(main())
