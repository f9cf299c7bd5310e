"""A switch with delay, jitter, loss and cuts between network namespaces, in user space: kernels may lack netem.

    python wire.py NAMESPACE ...

Makes `wire0` in each namespace, 10.79.0.1/24 in the first and so on, and carries what each sends to the others,
multicast too, in order. Lines on standard input change it, and `ok` answers each:

    weather DELAY_MS JITTER_MS LOSS_PERCENT      one way, of every frame; at first 0 0 0
    sides 001                                    frames pass between equal sides only; at first all are

The interfaces vanish with the process, at the end of its input.
"""

import contextlib
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


class Switch:
    """Ports are file descriptors; a computer's port is learnt from what it sends."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._sides = {port: "0" for port in ports}
        self._learnt: dict[bytes, int] = {}
        self._delay_s = self._jitter_s = self._loss = 0.0
        self._chance = random.Random(7)
        self._last: dict[tuple[int, int], float] = {}
        self._waiting: list[tuple[float, int, int, bytes]] = []  # due, number, port, frame
        self._count = 0

    def command(self, line: str) -> None:
        """One of those above."""
        match line.split():
            case ["weather", *numbers]:
                delay_ms, jitter_ms, loss_percent = map(float, numbers)
                self._delay_s, self._jitter_s, self._loss = delay_ms / 1000, jitter_ms / 1000, loss_percent / 100
            case ["sides", sides]:
                self._sides = dict(zip(self._ports, sides, strict=True))

    def take(self, port: int) -> None:
        """A frame that comes out of a port."""
        frame = os.read(port, 2048)
        to, sender = frame[:6], frame[6:12]
        self._learnt[sender] = port
        for other in [self._learnt[to]] if to in self._learnt else [one for one in self._ports if one != port]:
            if self._sides[other] == self._sides[port] and self._chance.random() >= self._loss:
                due = time.monotonic() + self._delay_s + self._chance.uniform(-self._jitter_s, self._jitter_s)
                self._last[port, other] = due = max(due, self._last.get((port, other), 0.0))
                self._count += 1
                heapq.heappush(self._waiting, (due, self._count, other, frame))

    def give(self) -> float | None:
        """Hand over what is due; seconds until more is, None if nothing waits."""
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            _, _, port, frame = heapq.heappop(self._waiting)
            with contextlib.suppress(BlockingIOError):  # its queue is full: lost, as anywhere
                os.write(port, frame)
        return max(0.0, self._waiting[0][0] - time.monotonic()) if self._waiting else None


def main(namespaces: list[str]) -> None:
    """Until the end of the input."""
    ports = [tap(namespace, number) for number, namespace in enumerate(namespaces, start=1)]
    switch = Switch(ports)
    print("ok", flush=True)
    with selectors.DefaultSelector() as selector:
        for file in (*ports, 0):
            selector.register(file, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select(switch.give()):
                if key.fd:
                    switch.take(key.fd)
                    continue
                line = os.read(0, 1000).decode()  # whoever asks waits for the answer: never two lines
                if not line:
                    return
                switch.command(line)
                print("ok", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
