"""An HTTP/1.1 server that reads every request and works on the newest ones first.

Arguments: port, the requests at a time, milliseconds a request. Under a load from more connections than
that, a few connections keep all workers, and the others wait until the load ends.
"""
import asyncio
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
PORT = int(sys.argv[1])
SECONDS = float(sys.argv[3]) / 1e3
workers = int(sys.argv[2])
waiting = []
running = set()  # the event loop keeps no task alive


async def work(connection):
    global workers
    while connection:
        await asyncio.sleep(SECONDS)
        connection.write(ANSWER)
        await asyncio.sleep(SECONDS / 10)  # in which the client's next request arrives
        connection = waiting.pop() if waiting else None
    workers += 1


async def serve(reader, connection):
    global workers
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            if workers:
                workers -= 1
                running.add(asyncio.create_task(work(connection)))
            else:
                waiting.append(connection)
    except (asyncio.IncompleteReadError, ConnectionError):
        connection.close()


async def main():
    server = await asyncio.start_server(serve, "0.0.0.0", PORT, backlog=1024)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
