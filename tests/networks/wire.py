"""A wire with delay, jitter and loss between two network namespaces, in user space: kernels may lack netem.

    python wire.py NAMESPACE_A NAMESPACE_B DELAY_MS JITTER_MS LOSS_PERCENT

Makes `wire0` in each namespace, 10.79.0.1/24 in A and 10.79.0.2/24 in B, and carries what either sends to the other,
multicast too, in order, until a line comes in. The interfaces vanish with the process.
"""

import ctypes
import fcntl
import heapq
import os
import random
import selectors
import struct
import subprocess
import sys
import time

NEW_NET, SET_INTERFACE, TAP_WITHOUT_HEADER = 0x40000000, 0x400454CA, 0x0002 | 0x1000


def tap(namespace: str, number: int) -> int:
    """The file descriptor of an Ethernet interface `wire0` in a namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    if libc.setns(there, NEW_NET):
        raise OSError(ctypes.get_errno(), "setns")
    try:
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, SET_INTERFACE, struct.pack("16sH22x", b"wire0", TAP_WITHOUT_HEADER))
        for command in ("sysctl -qw net.ipv6.conf.wire0.disable_ipv6=1", "ip link set wire0 up",
                        f"ip addr add 10.79.0.{number}/24 brd + dev wire0"):
            subprocess.run(command.split(), check=True)
        return device
    finally:
        libc.setns(home, NEW_NET)
        os.close(home)
        os.close(there)


def carry(one: int, two: int, delay_s: float, jitter_s: float, loss: float) -> None:
    """Pass frames on until standard input says or ends something."""
    chance = random.Random(7)
    other, last = {one: two, two: one}, {one: 0.0, two: 0.0}
    waiting: list[tuple[float, int, int, bytes]] = []
    count = 0
    with selectors.DefaultSelector() as selector:
        for file in (one, two, 0):
            selector.register(file, selectors.EVENT_READ)
        while True:
            while waiting and waiting[0][0] <= time.monotonic():
                _, _, out, frame = heapq.heappop(waiting)
                os.write(out, frame)
            for key, _ in selector.select(max(0.0, waiting[0][0] - time.monotonic()) if waiting else None):
                if key.fd == 0:
                    return
                frame = os.read(key.fd, 2048)
                if chance.random() >= loss:
                    last[key.fd] = max(last[key.fd], time.monotonic() + delay_s + chance.uniform(-jitter_s, jitter_s))
                    count += 1
                    heapq.heappush(waiting, (last[key.fd], count, other[key.fd], frame))


if __name__ == "__main__":
    taps = tap(sys.argv[1], 1), tap(sys.argv[2], 2)
    print("up", flush=True)
    carry(*taps, float(sys.argv[3]) / 1000, float(sys.argv[4]) / 1000, float(sys.argv[5]) / 100)
