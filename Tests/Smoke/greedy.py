# SPDX-License-Identifier: MIT
"""Greedy clients: each sends as much as the server accepts, and reads nothing or one byte per second.

    python3 Tests/Smoke/greedy.py [NAME...]

The table in greedy_servers.py lists the servers, the data that the clients send, and the memory that one connection may cost. The
bounds are those that the pages under Docs state. Uses the release programs of Examples/.build (or of SMOKE_BINARIES). SMOKE_LOOPS
selects the loops (all three). With SMOKE_SHORT one loop is tested, for three seconds instead of ten. NAME selects rows. Afterwards the
memory must return to the system (Docs/Services.md). Prints one line for each check, and exits with 1 if one failed.
"""
import os
import resource
import selectors
import socket
import sys
import threading
import time

from greedy_servers import MIB, ROWS
from report import check, totals
from server import Peak, Server, expect

SHORT = bool(os.environ.get("SMOKE_SHORT"))
LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
SECONDS = 3 if SHORT else 10
# Freed memory that the allocator keeps, and the memory that the server needs for its first clients.
SLACK = 4 << 20
PAGE = os.sysconf("SC_PAGESIZE")


class Client:
    """One greedy connection."""

    def __init__(self, row, server, number):
        self.socket = socket.socket(socket.AF_INET6 if ":" in server.host else socket.AF_INET, row.kind)
        # A datagram is shorter than a chunk of a stream.
        self.piece = 65536 if row.kind == socket.SOCK_STREAM else 32768
        # Small, so that the server and not this process must store unread bytes.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(10)
        self.socket.connect(server.address)
        self.socket.setblocking(False)
        self.stream = row.stream(number)
        self.waiting = memoryview(b"")
        self.sent = 0
        self.is_open = True

    def send(self):
        """Sends until the send buffer is full, at most a mebibyte. Returns False once the server has closed the connection."""
        for _ in range(16):
            if not self.waiting:
                self.waiting = memoryview(next(self.stream, b""))
                if not self.waiting:
                    return False
            try:
                taken = self.socket.send(self.waiting[: self.piece])
            except BlockingIOError:
                return True
            except OSError:
                self.is_open = False
                return False
            self.sent += taken
            self.waiting = self.waiting[taken:]
        return True

    def drip(self):
        try:
            self.is_open = self.is_open and self.socket.recv(1) != b""
        except BlockingIOError:
            pass
        except OSError:
            self.is_open = False


def press(clients, drips):
    """Sends through all clients for some seconds."""
    selector = selectors.DefaultSelector()
    for client in clients:
        selector.register(client.socket, selectors.EVENT_WRITE, client)
    end, next_drip = time.monotonic() + SECONDS, time.monotonic() + 1
    while (now := time.monotonic()) < end:
        for key, _ in selector.select(0.05):
            if not key.data.send():
                selector.unregister(key.fileobj)
        if not selector.get_map():
            time.sleep(0.05)
        if drips and now >= next_drip:
            next_drip += 1
            for client in clients:
                client.drip()
    selector.close()


def greedy(row, loop, drips):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    expect(hard > row.connections + 100, f"{row.connections} clients need as many descriptors; the limit here is {hard}")
    with Server(row.program, *row.arguments(loop), descriptor_limit=hard) as server:
        row.prepare(server)
        row.alive(server)
        descriptors, before = server.descriptors(), server.memory("VmRSS")
        over = threading.Event()
        with Peak(server) as memory:
            clients = [Client(row, server, number) for number in range(row.connections)]
            beside = threading.Thread(target=row.beside, args=(server, over))
            beside.start()
            try:
                press(clients, drips)
                row.alive(server)
            finally:
                over.set()
                beside.join()
        for client in clients:
            client.socket.close()
        server.settles_at(descriptors)
        left = time.monotonic()
        # libevent keeps a small object for each descriptor number, and each may keep a page (Decision 0073).
        kept = row.connections * PAGE if loop == "libevent" else 0
        server.returns_to(before * 3 // 2 + kept)
        returned = time.monotonic() - left
        row.alive(server)
        grown = max(0, memory.peak - memory.before)
        each = grown / row.connections
        expect(
            grown <= row.connections * row.bound + SLACK,
            f"{each / 1024:.0f} KiB for each connection, the bound is {row.bound / 1024:.0f} KiB",
        )
        sent = sum(client.sent for client in clients) / row.connections
        return (
            f"{each / 1024:.0f} of {row.bound / 1024:.0f} KiB each, after {sent / 1024:.0f} KiB sent; "
            f"{grown / MIB:.0f} MiB returned within {returned:.0f} s"
        )


def main(names):
    unknown = set(names) - {row.name for row in ROWS}
    if unknown:
        sys.exit(f"no such row: {', '.join(unknown)}; there are {', '.join(row.name for row in ROWS)}")
    for loop in LOOPS[:1] if SHORT else LOOPS:
        for row in ROWS:
            if names and row.name not in names:
                continue
            for drips in [False, True]:
                what = "one byte per second" if drips else "reads nothing"
                check(f"{loop}: {row.name}, {what}", lambda row=row, drips=drips: greedy(row, loop, drips))
    return totals()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
