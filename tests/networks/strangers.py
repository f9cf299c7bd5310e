"""Programs that no honest network has, each run on a computer of a test: `hold` keeps the mDNS port for itself until a
line comes in, `flood ADDRESS` announces nonsense and two hundred tables that do not exist, from that own address."""

import socket
import struct
import sys

GROUP = ("224.0.0.251", 5353)
TYPE = b"\x08_p2pdice\x04_tcp\x05local\x00"
PTR, TXT, SRV, A = 12, 16, 33, 1


def label(text: bytes) -> bytes:
    """One part of a name."""
    return bytes([len(text)]) + text


def record(name: bytes, kind: int, data: bytes) -> bytes:
    """One resource record, for two minutes."""
    return name + struct.pack("!2HIH", kind, 1, 120, len(data)) + data


def announcement(instance: bytes, text: bytes, host: bytes, port: int) -> bytes:
    """What a table announces of itself."""
    name, server = label(instance) + TYPE, label(b"evil") + b"\x05local\x00"
    records = [record(TYPE, PTR, name), record(name, SRV, struct.pack("!3H", 0, 0, port) + server),
               record(name, TXT, text), record(server, A, socket.inet_aton(host.decode()))]
    return struct.pack("!6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def flood() -> None:
    """Escape sequences and foreign letters as names, texts as long as they get, and more tables than anyone has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.bind(("", 5353))
        out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(sys.argv[2]))
        packets = [announcement(name, label(b"title=" + b"\x1b[2J" * 20), b"10.77.0.2", 9)
                   for name in (b"\x1b[2Jx", b"\xff\xfe", b"a\nb", "\u202etable".encode(), b"x" * 63)]
        packets += [announcement(f"{number:016x}".encode(), label(b"room=" + b"ab" * 16) + label(b"title=" + b"T" * 240)
                                 + label(b"x" * 250), b"10.77.0.%d" % (number % 200 + 3), number + 1)
                    for number in range(200)]
        packets.append(announcement(b"0" * 16, label(b"k=" + b"v" * 250) * 5, b"127.0.0.1", 22))
        packets += [packet[:40] for packet in packets[:3]] + [b"\xff" * 600, b"\0" * 12]
        for packet in packets:
            out.sendto(packet, GROUP)


def hold() -> None:
    """The port without any option that would let others use it, too."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as four, \
            socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as six:
        six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        four.bind(("", 5353))
        six.bind(("::", 5353))
        print("held", flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    {"flood": flood, "hold": hold}[sys.argv[1]]()
