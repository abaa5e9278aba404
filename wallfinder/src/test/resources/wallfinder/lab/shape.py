"""Lets the link of this namespace send at most RATE Mbit/s: a token bucket (tbf), or a class of a hierarchy (htb).

The third argument is the size of the queue of tbf in bytes.
"""
import os
import signal
import subprocess
import sys

os.environ["PATH"] += ":/usr/sbin:/sbin"
kind, rate = sys.argv[1], float(sys.argv[2])
queue = sys.argv[3] if len(sys.argv) > 3 else "400000"
# What 10 ms carry: the kernel may look at the bucket no sooner.
burst = max(10_000, int(rate * 1e6 / 8 / 100))


def tc(*arguments):
    subprocess.run(["tc", *arguments], check=True)


if kind == "tbf":
    tc("qdisc", "add", "dev", "wf0", "root", "tbf", "rate", f"{rate}mbit", "burst", str(burst), "limit", queue)
else:
    tc("qdisc", "add", "dev", "wf0", "root", "handle", "1:", "htb", "default", "10")
    tc("class", "add", "dev", "wf0", "parent", "1:", "classid", "1:10", "htb",
       "rate", f"{rate}mbit", "burst", str(burst), "quantum", "20000")
print("ready", flush=True)
signal.pause()
