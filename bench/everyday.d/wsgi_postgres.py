"""Each thread keeps a connection to PostgreSQL at a unix socket. One row counts all requests, so each one waits for the
row's lock until the others have committed."""

import os
import threading

import psycopg2

local = threading.local()


def connection():
    if not hasattr(local, "connection"):
        local.connection = psycopg2.connect(os.environ["DATABASE"])
    return local.connection


with connection() as first, first.cursor() as row:
    row.execute("CREATE TABLE IF NOT EXISTS counted (requests bigint)")
    row.execute("INSERT INTO counted VALUES (0)")


def app(environ, start_response):
    with connection() as transaction, transaction.cursor() as row:
        row.execute("UPDATE counted SET requests = requests + 1; SELECT pg_sleep(0.01)")
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "6")])
    return [b"hello\n"]
