"""A long and unreliable line, where the kernel has no netem: `wire.py DEVICE '{"seed": 1, "delay": 300, ...}'`.

Makes the TUN device DEVICE in the network namespace that it is started in. Each packet that is routed into the device comes out of
it again: `delay` ms later; or never, for `loss` % of them; twice, for `twice` %; or `behind` ms later still, for `late` %, so that
those after it overtake it. The seed decides what becomes of the nth packet. Prints a line when the device is up. Ends, and the
device with it, when standard input ends; what it did is then printed as JSON.
"""

import fcntl
import heapq
import json
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
LARGEST_PACKET = 65_536
# Packets that are taken before one that is due is let out.
AT_ONCE = 64
# Sooner than this many seconds is now: a select takes as long.
NOW = 0.0005

device, manner = sys.argv[1], json.loads(sys.argv[2])
delay, behind = manner["delay"] / 1000, manner["behind"] / 1000
loss, twice, late = (manner[name] / 100 for name in ("loss", "twice", "late"))
chance = random.Random(manner["seed"]).random

# What is late is late by the line, not by a processor that has others to serve.
os.setpriority(os.PRIO_PROCESS, 0, -15)
tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", device.encode(), IFF_TUN | IFF_NO_PI))
subprocess.run(["ip", "link", "set", device, "mtu", "1500", "txqueuelen", "10000", "up"], check=True)
print("up", flush=True)

counts = {"passed": 0, "lost": 0, "twice": 0, "late": 0}
# Packets of the same moment leave in the order in which they came.
waiting, number = [], 0


def arrive(packet: bytes) -> None:
    global number
    is_lost, is_twice, is_late = chance() < loss, chance() < twice, chance() < late
    if is_lost:
        counts["lost"] += 1
        return
    due = time.monotonic() + delay + (behind if is_late else 0)
    counts["late"] += is_late
    counts["twice"] += is_twice
    for _ in range(2 if is_twice else 1):
        heapq.heappush(waiting, (due, number, packet))
        number += 1


while True:
    pause = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    readable, _, _ = select.select([tun, sys.stdin], [], [], pause)
    if sys.stdin in readable:
        break
    if tun in readable:
        try:
            for _ in range(AT_ONCE):
                packet = os.read(tun, LARGEST_PACKET)
                # The kernel greets its neighbours on a new device, which has none.
                if packet[0] >> 4 == 4:
                    arrive(packet)
        except BlockingIOError:
            pass
    soon = time.monotonic() + NOW
    while waiting and waiting[0][0] <= soon:
        os.write(tun, heapq.heappop(waiting)[2])
        counts["passed"] += 1

print(json.dumps(counts), flush=True)
