# SPDX-License-Identifier: MIT
"""The port forwarder between two loops: it changes no byte, loses no answer, and its memory stays constant."""
import contextlib
import socket
import sys
import threading
from pathlib import Path

import stalling
from crowds import echo_server
from report import run
from server import Server, expect

HERE = Path(__file__).resolve().parent
GROWTH_LIMIT = 16 * 1024 * 1024


def forwarder(loop, other, target):
    return Server(
        "port-forward", "--loop", loop, "--target-loop", other, "--listen", "127.0.0.1:0",
        "--target", f"127.0.0.1:{target}")


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
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        while connection.recv(65536):
                            pass
                        connection.sendall(b"bye")

        threading.Thread(target=serve, daemon=True).start()
        with forwarder(loop, other, listener.getsockname()[1]) as server:
            for number in range(20):
                with socket.create_connection(server.address, timeout=60) as client:
                    client.shutdown(socket.SHUT_WR)
                    with client.makefile("rb") as file:
                        answer = file.read()
                expect(answer == b"bye", f"try {number}: the client received {answer!r}")
