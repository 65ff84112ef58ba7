# SPDX-License-Identifier: MIT
"""The servers that greedy.py tests, the data sent to them, and the memory that one connection may cost."""
import atexit
import functools
import itertools
import os
import socket
import tempfile
from dataclasses import dataclass
from typing import Callable

from server import Server, expect

KIB, MIB = 1 << 10, 1 << 20
NOISE = os.urandom(MIB)
GET = b"GET /bytes/65536 HTTP/1.1\r\nHost: a\r\n\r\n"


def over_and_over(block):
    """An endless stream of one block, in chunks of about a mebibyte."""
    chunk = block * max(1, MIB // len(block))
    return lambda number: itertools.repeat(chunk)


def exchange(server, sent, wanted):
    """Checks that a well-behaved client gets the expected reply."""
    with socket.create_connection(server.address, timeout=30) as peer:
        peer.sendall(sent)
        heard = b""
        while len(heard) < len(wanted):
            part = peer.recv(len(wanted) - len(heard))
            if not part:
                break
            heard += part
        expect(heard == wanted, f"a well-behaved client got {heard[:100]!r} for {sent[:100]!r}")


@dataclass
class Row:
    """A server and its greedy clients."""

    name: str
    program: str
    # The bytes that one connection may cost. The server's page states them.
    bound: int
    # The endless stream that the connection with this number sends, in chunks.
    stream: Callable
    arguments: Callable = lambda loop: ["--loop", loop, "--port", "0"]
    connections: int = 16
    kind: int = socket.SOCK_STREAM
    # Called once, before the memory is measured.
    prepare: Callable = lambda server: None
    # Called in a thread, beside the greedy clients, until the event is set.
    beside: Callable = lambda server, over: None
    # Raises Failed if a well-behaved client is not served.
    alive: Callable = lambda server: exchange(server, b"hello", b"hello")


def bulk(*words):
    """A request to the key-value server."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def keys(*more):
    """The key-value server's arguments."""
    return lambda loop: ["--loop", loop, "--port", "0", *more]


def values(server):
    """Creates keys that greedy clients request."""
    exchange(server, bulk(b"SET", b"k", b"x" * 8192) + bulk(b"SET", b"l", b"x" * MIB), b"+OK\r\n+OK\r\n")


def flood(message):
    """Publishes messages until the event is set."""
    def beside(server, over):
        with socket.create_connection(server.address, timeout=30) as peer:
            while not over.is_set():
                peer.sendall(bulk(b"PUBLISH", b"news", message) * 10)
                count = 0
                while count < 10:
                    count += peer.recv(4096).count(b"\n")
    return beside


def once(begin, rest=b""):
    """A stream with one beginning, followed by `rest` repeated."""
    return lambda number: itertools.chain([begin], over_and_over(rest)(number) if rest else [])


def key_value(name, bound, stream, *more, **others):
    pong = others.pop("alive", lambda server: exchange(server, b"PING\r\n", b"+PONG\r\n"))
    return Row(f"keys-{name}", "key-value-server", bound, stream, keys(*more), prepare=values, alive=pong, **others)


ROWS = [
    Row("echo", "echo-server", 384 * KIB, over_and_over(NOISE), lambda loop: ["--loop", loop, "--port", "0", "--quiet"]),
    Row(
        "crowd", "echo-server", 384 * KIB, lambda number: iter([NOISE[: 192 * KIB]]),
        lambda loop: ["--loop", loop, "--port", "0", "--quiet"], connections=10_000,
    ),  # fmt: skip
    # Many responses of 64 KiB, none of which is read.
    Row(
        "crowd-http", "http-server", 384 * KIB, lambda number: iter([(GET * 10_000)[: 192 * KIB]]), connections=10_000,
        alive=lambda server: exchange(server, GET.replace(b"65536", b"1"), b"HTTP/1.1 200 OK\r\n"),
    ),  # fmt: skip
    Row("relay", "RelayServer", 2432 * KIB, over_and_over(NOISE), lambda loop: ["--loop", loop]),
    # The cost of a connection apart from its request, reply and messages: Docs/KeyValueServer.md.
    key_value("get", 6 * MIB, over_and_over(b"GET k\r\n")),
    key_value("get-hops", 16 * MIB, over_and_over(b"GET k\r\n"), "--threads", "3"),
    key_value("long-values", 6 * MIB + 2 * MIB, over_and_over(b"GET l\r\n")),
    key_value("shortest", 6 * MIB, over_and_over(b"x\n")),
    key_value("shortest-hops", 16 * MIB, over_and_over(b"x\n"), "--threads", "3"),
    key_value("mget", 6 * MIB + 2 * 4 * MIB, over_and_over(bulk(b"MGET", *[b"k"] * 500)), "--max-reply", str(4 * MIB)),
    key_value("over-reply", 6 * MIB + 2 * 4 * MIB, over_and_over(bulk(b"MGET", *[b"k"] * 60_000)), "--max-reply", str(4 * MIB)),
    # A value without end, an array without end, and a length that is never delivered.
    key_value("long-request", 6 * MIB + 3 * 8 * MIB, once(b"*2\r\n$3\r\nGET\r\n$8388000\r\n", b"x" * 1000), "--max-request", str(8 * MIB)),
    key_value("arguments", 6 * MIB + 3 * 8 * MIB + 8 * MIB, once(b"*131072\r\n", b"$0\r\n\r\n"), "--max-request", str(8 * MIB), "--max-arguments", "131072"),
    key_value("many-arguments", 6 * MIB, once(b"*1000000000\r\n", b"$0\r\n\r\n")),
    key_value("huge-length", 6 * MIB, once(b"*1\r\n$536870912\r\n")),
    key_value("line", 6 * MIB, over_and_over(b"x" * 1000)),
    # Messages that are not read, for each kind of subscriber.
    key_value("subscriber", 6 * MIB + 4 * MIB, once(bulk(b"SUBSCRIBE", b"news"), bulk(b"PING", b"x" * 20_000)),
              "--buffer-bytes", str(4 * MIB), beside=flood(b"x" * 50_000), connections=2),
    key_value("subscriber-hops", 16 * MIB + 4 * MIB, once(bulk(b"SUBSCRIBE", b"news"), bulk(b"PING", b"x" * 20_000)),
              "--threads", "3", "--buffer-bytes", str(4 * MIB), beside=flood(b"x" * 50_000), connections=2),
    key_value("monitor", 6 * MIB + 4 * MIB, once(bulk(b"MONITOR")), "--buffer-bytes", str(4 * MIB), beside=flood(b"x" * 50_000), connections=2),
]


def next_port(server):
    """Makes the server listen on the port that its next line names."""
    server.port = int(server.process.stdout.readline().rsplit(":", 1)[1])


# Upper case turns these two bytes into six.
GROWS = "\u0390".encode()


def framed(payload):
    return len(payload).to_bytes(4, "big") + payload


@functools.cache
def echo_server():
    """Starts the target of all forwarders, which ends with this program."""
    target = Server("echo-server", "--port", "0", "--quiet")
    atexit.register(target.process.kill)
    return f"{target.host}:{target.port}"


def line_server(name, bound, block, sent, wanted, ports):
    """One of the three ports of LineServer, which has one loop."""

    def prepare(server):
        for _ in range(ports):
            next_port(server)

    return Row(
        name, "LineServer", bound, over_and_over(block), lambda loop: ["0"],
        prepare=prepare, alive=lambda server: exchange(server, sent, wanted),
    )  # fmt: skip


def datagrams(server):
    """A well-behaved client gets its echo after some attempts, because datagrams are lost beside greedy clients."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.settimeout(0.1)
        peer.connect(server.address)
        for _ in range(300):
            try:
                peer.send(b"hello")
                if peer.recv(100) == b"hello":
                    return
            except (TimeoutError, BlockingIOError):
                pass
    expect(False, "no echo of 300 datagrams")


ROWS += [
    Row(
        "forward", "port-forward", 640 * KIB, over_and_over(NOISE),
        lambda loop: ["--loop", loop, "--listen", "127.0.0.1:0", "--target", echo_server()],
    ),  # fmt: skip
    line_server("lines", 768 * KIB, GROWS * 32768 + b"\n", b"a\xc3\x9f\n", b"ASS\n", 0),
    line_server("lengths", 8 * MIB, framed(GROWS * (MIB // 2)), framed(b"a\xc3\x9f"), framed(b"ASS"), 1),
    line_server("netstrings", 768 * KIB, b"65000:" + GROWS * 32500 + b",", b"3:a\xc3\x9f,", b"3:ASS,", 2),
    Row("datagrams", "udp-echo", 64 * KIB, over_and_over(NOISE), alive=datagrams, kind=socket.SOCK_DGRAM),
]

# The chat needs a build with the trait NATS, and a nats-server: make chat-test.
if "CHAT_BINARY" in os.environ:

    @functools.cache
    def nats():
        import chat

        folder = tempfile.TemporaryDirectory()
        server, url = chat.nats_server(folder.name)
        atexit.register(folder.cleanup)
        atexit.register(server.kill)
        return url

    def fill(server):
        """Creates histories of sixteen rooms, with long lines."""
        with socket.create_connection(server.address, timeout=60) as peer:
            stream = peer.makefile("rb")
            for room, number in itertools.product(range(16), range(40)):
                peer.sendall(b"SAY room-%d %d-%d %s\n" % (room, room, number, b"x" * 4000))
                reply = stream.readline()
                expect(reply.startswith(b"SAID"), f"the chat answered {reply!r}")

    ROWS.append(
        Row(
            "chat", os.path.abspath(os.environ["CHAT_BINARY"]), 2 * MIB,
            over_and_over(b"".join(b"RESUME room-%d 0\n" % room for room in range(16))),
            lambda loop: ["--loop", loop, "--port", "0", "--nats", nats()],
            prepare=fill, alive=lambda server: exchange(server, b"NAME ann\n", b"OK\n"),
        )  # fmt: skip
    )
