#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the memory that an idle connection costs a server of the examples: a WebSocket, or an HTTP connection.

    Tests/Benchmarks/idle_websockets.py [COUNT]

Opens COUNT connections (10000) to each release program of Examples/.build (or of SMOKE_BINARIES), on every loop of SMOKE_LOOPS. Prints the
growth of the server's anonymous memory for each connection. Exits with 1 if a WebSocket costs more than LIMIT bytes.
"""
import base64
import os
import resource
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Smoke"))
from server import Server  # noqa: E402

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
LIMIT = int(os.environ.get("LIMIT", 0)) or None
BATCH = 500
KEY = base64.b64encode(b"0123456789abcdef").decode()
HANDSHAKE = (
    "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    f"Sec-WebSocket-Key: {KEY}\r\n\r\n"
).encode()
HELLO = b"\x81\x85\0\0\0\0hello"


def converse(peers, request, end):
    """Sends a request on each connection, and waits for its response."""
    if request:
        for peer in peers:
            peer.sendall(request)
    for peer in peers:
        answer = b""
        while not answer.endswith(end):
            part = peer.recv(4096)
            if not part:
                sys.exit(f"the server closed a connection after {answer}")
            answer += part


def settled(server):
    """The memory when it stays the same. The processor time does not: each connection has timers."""
    last = server.memory()
    while True:
        time.sleep(0.5)
        now = server.memory()
        if now == last:
            return now
        last = now


def measure(loop, program, count, steps):
    """Returns the bytes of each connection after each step."""
    with Server(program, "--loop", loop, "--port", "0") as server:
        # The first connections create what all share.
        warm = [socket.create_connection(server.address, timeout=60) for _ in range(100)]
        for request, end in steps:
            converse(warm, request, end)
        before, peers, found = settled(server), [], []
        while len(peers) < count:
            peers += [socket.create_connection(server.address, timeout=60) for _ in range(min(BATCH, count - len(peers)))]
            converse(peers[-BATCH:], *steps[0])
        found.append((settled(server) - before) / count)
        for step in steps[1:]:
            for index in range(0, count, BATCH):
                converse(peers[index:index + BATCH], *step)
            found.append((settled(server) - before) / count)
        for peer in peers + warm:
            peer.close()
    return found


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < count + 200:
        sys.exit(f"{count} connections need more than the {hard} descriptors that a process may have")
    worst = 0
    for loop in LOOPS:
        opened, used = measure(loop, "websocket-echo", count, [(HANDSHAKE, b"\r\n\r\n"), (HELLO, b"hello")])
        worst = max(worst, opened, used)
        [web] = measure(loop, "http-server", count, [(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"hello\n")])
        print(
            f"{loop}: {opened:.0f} bytes for an idle WebSocket, {used:.0f} after a message; {web:.0f} for an idle HTTP "
            "connection",
            flush=True,
        )
    return 1 if LIMIT and worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
