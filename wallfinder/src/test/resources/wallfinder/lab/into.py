"""Starts a program in a cgroup: `into.py CGROUP COMMAND...`.

With cgroup v2 it stays in its own cgroup and limits what that one does with a disk in a second:
`into.py MAJOR:MINOR,wiops=WRITES COMMAND...`.
"""
import os
import sys

TOP = "/sys/fs/cgroup"


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def limit(device, operations):
    with open("/proc/self/cgroup") as file:
        own = file.read().rpartition("0::")[2].strip()
    for end in (i for i, c in enumerate(own) if c == "/"):
        write(f"{TOP}{own[:end]}/cgroup.subtree_control", "+io")
    write(f"{TOP}{own}/io.max", f"{device} {operations}")


if sys.argv[1].startswith("/"):
    write(os.path.join(sys.argv[1], "cgroup.procs"), str(os.getpid()))
else:
    limit(*sys.argv[1].split(","))
os.execvp(sys.argv[2], sys.argv[2:])
