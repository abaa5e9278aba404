"""Sends UDP to the discard port of HOST in bursts of BURST packets, or without a pause with 0, and
connects to PORT TRIES times meanwhile. A connect that takes longer than 0.8 s is an error.
"""
import multiprocessing
import socket
import sys
import time

host, port, burst, tries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
SENDERS = 4  # without a pause, enough of them for a host with few CPUs
PATIENCE = 1.5  # the kernel repeats a SYN after 1 s
SLOW = 0.8
PAUSE = 0.05
TRY_PAUSE = 0.1
SECONDS_MAX = 40


def flood(done):
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(16)]
    for each in sockets:
        each.connect((host, 9))
    end = time.monotonic() + SECONDS_MAX
    sent = 0
    while not done.is_set() and time.monotonic() < end:
        for each in sockets:
            try:
                each.send(b"")
            except OSError:
                pass
        sent += len(sockets)
        if burst and sent >= burst:
            sent = 0
            time.sleep(PAUSE)


done = multiprocessing.Event()
senders = [
    multiprocessing.Process(target=flood, args=(done,), daemon=True)
    for _ in range(1 if burst else SENDERS)
]
for sender in senders:
    sender.start()
time.sleep(0.5)
opened = 0
for _ in range(tries):
    begun = time.monotonic()
    try:
        socket.create_connection((host, port), PATIENCE).close()
        opened += time.monotonic() - begun < SLOW
    except OSError:
        pass
    time.sleep(TRY_PAUSE)
done.set()
for sender in senders:
    sender.join()
print("opened: %d" % opened)
print("errors: %d" % (tries - opened))
