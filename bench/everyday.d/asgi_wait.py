"""Waits 20 ms for each request, as for a database, and answers others meanwhile."""

import asyncio


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    await asyncio.sleep(0.02)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"6")]})
    await send({"type": "http.response.body", "body": b"hello\n"})
