"""Makes the kernel track connections in this namespace, and fills its table: to a share of its maximum,
such as 0.6, or with a number of places left, such as -12. With the argument "unanswered" the entries
belong to unanswered connections, which the kernel drops in favour of others.

The programs nft and conntrack load the rule and make the entries.
"""
import os
import signal
import subprocess
import sys

os.environ["PATH"] += ":/usr/sbin:/sbin"
RULES = """table ip tracked {
    chain in {
        type filter hook input priority 0
        ct state new counter
    }
}
"""
ENTRY = (
    "-I -p tcp -s 10.1.%d.%d -d 10.2.0.1 --sport %d --dport 80"
    " --state %s -t 600\n"
)
ESTABLISHED = "ESTABLISHED -u ASSURED"
UNANSWERED = "SYN_SENT"

with open("/proc/sys/net/netfilter/nf_conntrack_max") as file:
    limit = int(file.read())
wanted = float(sys.argv[1])
entries = int(limit * wanted if wanted > 0 else limit + wanted)
state = UNANSWERED if "unanswered" in sys.argv[2:] else ESTABLISHED
subprocess.run(["nft", "-f", "-"], input=RULES, text=True, check=True)
lines = (ENTRY % (n >> 8 & 255, n & 255, 1000 + (n >> 16), state) for n in range(entries))
subprocess.run(["conntrack", "-R", "-"], input="".join(lines), text=True, check=True)
print("ready", flush=True)
signal.pause()
