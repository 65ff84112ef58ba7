# SPDX-License-Identifier: MIT
"""The port forwarder between two loops: it changes no byte, loses no answer, and its memory stays constant."""
import sys
import threading
from pathlib import Path

import early_ends
import stalling
from crowds import echo_server
from report import run
from server import Server, expect

HERE = Path(__file__).resolve().parent
GROWTH_LIMIT = 16 * 1024 * 1024


def forwarder(loop, other, port):
    return Server(
        "port-forward", "--loop", loop, "--target-loop", other, "--listen", "127.0.0.1:0",
        "--target", f"127.0.0.1:{port}")


def both_ways(loop, other, count):
    """Sends `count` bytes each way at once, over 20 connections, in random chunks, and compares every byte."""
    with echo_server(other) as target, forwarder(loop, other, target.port) as server:
        before, peak, over = server.memory(), [0], threading.Event()

        def watch():
            while not over.wait(0.05):
                peak[0] = max(peak[0], server.memory())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            said = run(sys.executable, HERE / "random_client.py", str(server.port), "--bytes", str(count),
                       "--connections", "20").decode().strip()
        finally:
            over.set()
            watcher.join()
        growth = peak[0] - before
        expect(growth < GROWTH_LIMIT, f"memory grew by {growth / 1048576:.1f} MiB")
        return f"{said}; memory +{growth / 1024:.0f} KiB at most"


def stalled(loop, other):
    """One side does not read: TCP stops the other side, memory stays constant, and the other connections continue."""
    with echo_server(other) as target, forwarder(loop, other, target.port) as server:
        return stalling.check(server)


def ends_early(loop, other):
    """A client that ends its stream as soon as it has connected, without a byte, still gets the target's answer."""
    with early_ends.target(b"bye") as port, forwarder(loop, other, port) as server:
        early_ends.check(server.address, b"bye", timeout=60)
