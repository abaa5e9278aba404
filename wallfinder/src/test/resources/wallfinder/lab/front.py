"""An HTTP/1.1 server that sends each request on to another one.

Arguments: port, the other server's port or `@` and its abstract unix socket, connections in the
pool. Requests wait for a free one. With 0, there is no pool, and each request opens a connection.
"""
import asyncio
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
QUESTION = b"GET / HTTP/1.1\r\nHost: behind\r\n\r\n"
port, behind, size = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
pool = asyncio.LifoQueue()


async def connect():
    if behind.startswith("@"):
        return await asyncio.open_unix_connection("\0" + behind[1:])
    return await asyncio.open_connection("127.0.0.1", int(behind))


async def ask():
    reader, writer = await pool.get() if size else await connect()
    writer.write(QUESTION)
    await reader.readuntil(b"ok\n")
    if size:
        pool.put_nowait((reader, writer))
    else:
        writer.close()


async def serve(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            await ask()
            writer.write(ANSWER)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    for _ in range(size):
        pool.put_nowait(await connect())
    server = await asyncio.start_server(serve, "0.0.0.0", port, backlog=1024)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
