"""Starts a program in a cgroup: `into.py CGROUP COMMAND...`."""
import os
import sys

with open(os.path.join(sys.argv[1], "cgroup.procs"), "w") as processes:
    processes.write(str(os.getpid()))
os.execvp(sys.argv[2], sys.argv[2:])
