"""Delays each packet that this namespace sends over its link: delay.py MILLISECONDS.

Routes lead the packets into a TUN device. This program reads them there and sends them over the link later.
"""
import collections
import fcntl
import ipaddress
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
LINK, TUN = "wf0", "delay0"
# What several connections send at once must fit into the device's queue, or packets are lost.
QUEUE_PACKETS = 10_000
PACKETS_AT_ONCE = 64

os.environ["PATH"] += ":/usr/sbin:/sbin"
delay = float(sys.argv[1]) / 1e3


def ip(*arguments):
    return subprocess.run(["ip", *arguments], check=True, stdout=subprocess.PIPE).stdout


tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", TUN.encode(), IFF_TUN | IFF_NO_PI))
for device in ("all", LINK):  # a packet from the client now arrives at a link that does not lead to it
    with open(f"/proc/sys/net/ipv4/conf/{device}/rp_filter", "w") as setting:
        setting.write("0")
ip("link", "set", TUN, "up", "mtu", "1500", "txqueuelen", str(QUEUE_PACKETS))
address = json.loads(ip("-4", "-json", "addr", "show", "dev", LINK))[0]["addr_info"][0]
network = ipaddress.ip_interface(f"{address['local']}/{address['prefixlen']}").network
for half in network.subnets():  # these go before the route of the whole network
    ip("route", "add", str(half), "dev", TUN, "src", address["local"])

link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
link.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, LINK.encode())
link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
waiting = collections.deque()
print("ready", flush=True)
while True:
    pause = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    readable = select.select([tun], [], [], pause)[0]
    for _ in range(PACKETS_AT_ONCE if readable else 0):
        try:
            packet = os.read(tun, 65535)
        except BlockingIOError:
            break
        if packet[0] >> 4 == 4:
            waiting.append((time.monotonic() + delay, packet))
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        packet = waiting.popleft()[1]
        link.sendto(packet, (socket.inet_ntoa(packet[16:20]), 0))
