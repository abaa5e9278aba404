"""An HTTP/1.1 server with a thread for each connection. Arguments: port, milliseconds a request."""
import socket
import sys
import threading
import time

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
port, millis = int(sys.argv[1]), float(sys.argv[2])


def serve(connection):
    received = b""
    with connection:
        while True:
            try:
                data = connection.recv(4096)
            except OSError:
                return
            if not data:
                return
            received += data
            while b"\r\n\r\n" in received:
                _, _, received = received.partition(b"\r\n\r\n")
                time.sleep(millis / 1e3)
                connection.sendall(ANSWER)


listener = socket.create_server(("0.0.0.0", port), backlog=1024)
threading.stack_size(256 * 1024)
print("ready", flush=True)
while True:
    accepted, _ = listener.accept()
    try:
        threading.Thread(target=serve, args=(accepted,), daemon=True).start()
    except RuntimeError:  # can't start new thread
        accepted.close()
