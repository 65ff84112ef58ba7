"""The servers that greedy.py presses, what is sent to them, and how much memory one connection may cost."""
import itertools
import os
import socket
from dataclasses import dataclass
from typing import Callable

from server import expect

KIB, MIB = 1 << 10, 1 << 20
NOISE = os.urandom(MIB)


def over_and_over(block):
    """An endless stream of one block, in chunks of about a mebibyte."""
    chunk = block * max(1, MIB // len(block))
    return lambda number: itertools.repeat(chunk)


def exchange(server, sent, wanted):
    """A well-behaved client of its own gets what it should."""
    with socket.create_connection(server.address, timeout=30) as peer:
        peer.sendall(sent)
        heard = b""
        while len(heard) < len(wanted):
            part = peer.recv(65536)
            if not part:
                break
            heard += part
        expect(heard == wanted, f"a well-behaved client got {heard[:100]!r} for {sent[:100]!r}")


@dataclass
class Row:
    """A server and its greedy clients."""

    name: str
    program: str
    # Bytes that one connection may cost; the page of the server states them.
    bound: int
    # The endless stream that the connection with this number sends, in chunks.
    stream: Callable
    arguments: Callable = lambda loop: ["--loop", loop, "--port", "0"]
    connections: int = 16
    # Runs once, before the memory is measured.
    prepare: Callable = lambda server: None
    # Runs beside the greedy clients, in a thread, until the event is set.
    beside: Callable = lambda server, over: None
    # Raises Failed if a well-behaved client is not served.
    alive: Callable = lambda server: exchange(server, b"hello", b"hello")


ROWS = [
    Row("echo", "echo-server", 384 * KIB, over_and_over(NOISE), lambda loop: ["--loop", loop, "--port", "0", "--quiet"]),
    Row("relay", "RelayServer", 2432 * KIB, over_and_over(NOISE), lambda loop: ["--loop", loop]),
]
