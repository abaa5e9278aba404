"""Waits 20 ms for each request, as for a database."""

import time


def app(environ, start_response):
    time.sleep(0.02)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "6")])
    return [b"hello\n"]
