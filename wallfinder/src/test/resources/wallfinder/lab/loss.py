"""Loses PARTS of 1,000 TCP packets of established connections in this namespace: loss.py IN OUT.

IN is for the packets that arrive, OUT for those that leave. A packet that leaves gets a hardware
address that nobody has, so the client's kernel drops it. If a rule here dropped it, the sender
would notice. The packets of handshakes get through.
"""
import os
import signal
import subprocess
import sys

os.environ["PATH"] += ":/usr/sbin:/sbin"
arrive, leave = int(sys.argv[1]), int(sys.argv[2])
chosen = "tcp flags & syn == 0 numgen random mod 1000 < %d"
table = """
table inet loses {
    chain in {
        type filter hook input priority 0
        iifname "wf0" %s drop
    }
}
table netdev loses {
    chain out {
        type filter hook egress device "wf0" priority 0
        meta protocol ip %s ether daddr set 02:00:00:00:00:99
    }
}
""" % (chosen % arrive, chosen % leave)
subprocess.run(["nft", "-f", "-"], input=table, text=True, check=True)
print("ready", flush=True)
signal.pause()
