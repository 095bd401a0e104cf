"""Reads the counters of interfaces until its standard input closes: bytes sent by the web on all of them together.

    meter.py FILE INTERFACE…

A line a reading: seconds of the monotonic clock, bytes. The kernel counts what is on the wire: HTTP, TCP, IP and Ethernet
headers, retransmissions, SYN and ACK. It is a process of its own, so that nothing but the system delays a reading.
"""

import select
import sys
import time

EVERY_S = 0.02
# A reading that took longer was interrupted, and nobody knows what moment it tells of.
LONGEST_READING_S = 0.001


def sent(text, interfaces):
    """The sum of the ninth numbers, of /proc/net/dev."""
    total = 0
    for line in text.splitlines():
        name, _, numbers = line.partition(":")
        if name.strip() in interfaces:
            total += int(numbers.split()[8])
    return total


def main(file, *interfaces):
    wanted = set(interfaces)
    with open(file, "w", buffering=1 << 16) as out, open("/proc/net/dev") as counters:
        while not select.select([sys.stdin], [], [], EVERY_S)[0]:
            before = time.monotonic()
            counters.seek(0)
            text = counters.read()
            after = time.monotonic()
            if after - before < LONGEST_READING_S:
                out.write(f"{(before + after) / 2:.6f},{sent(text, wanted)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
