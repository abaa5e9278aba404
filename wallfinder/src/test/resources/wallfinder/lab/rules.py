"""Makes each packet that arrives in this namespace pass RULES rules, all on one CPU: the first that this
program may use. With a second argument, `set`, one rule looks up the same addresses in a set.

Behind the rules, UDP packets to the discard port are dropped. The settings belong to this namespace's
end of the link. Only this process sees the /sys that it mounts.
"""
import os
import signal
import subprocess
import sys

os.environ["PATH"] += ":/usr/sbin:/sbin"
if sys.argv[1] != "inside":
    os.execvp("unshare", ["unshare", "--mount", sys.executable, __file__, "inside"] + sys.argv[1:])

rules = int(sys.argv[2])
mask = "%x" % (1 << min(os.sched_getaffinity(0)))
addresses = ["10.%d.%d.1" % (n >> 8, n & 255) for n in range(rules)]
if sys.argv[3:] == ["set"]:
    lines = "ip saddr { %s } counter\n" % ", ".join(addresses)
else:
    lines = "".join("ip saddr %s counter\n" % address for address in addresses)
table = "table ip costly { chain in { type filter hook prerouting priority -300;\n%s%s}\n}\n"
subprocess.run(["nft", "-f", "-"], input=table % (lines, "udp dport 9 drop\n"), text=True, check=True)
subprocess.run(["mount", "-t", "sysfs", "sysfs", "/sys"], check=True)
with open("/sys/class/net/wf0/queues/rx-0/rps_cpus", "w") as file:
    file.write(mask)
print("ready", flush=True)
signal.pause()
