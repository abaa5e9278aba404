"""An HTTP/1.1 server that sends each request on to another one, over a pool of connections.

Arguments: port, the other server's port, connections in the pool. Requests wait for a free one.
"""
import asyncio
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
QUESTION = b"GET / HTTP/1.1\r\nHost: behind\r\n\r\n"
port, behind, size = (int(argument) for argument in sys.argv[1:4])
pool = asyncio.LifoQueue()


async def ask():
    reader, writer = await pool.get()
    writer.write(QUESTION)
    await reader.readuntil(b"ok\n")
    pool.put_nowait((reader, writer))


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
        pool.put_nowait(await asyncio.open_connection("127.0.0.1", behind))
    server = await asyncio.start_server(serve, "0.0.0.0", port, backlog=1024)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
