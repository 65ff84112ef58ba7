# SPDX-License-Identifier: MIT
"""The key-value server with third-party clients, on every loop: redis-cli, redis-benchmark, and Python's redis.

    python3 Tests/Smoke/keyvalue.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). Needs Debian's redis-tools, python3-venv and the package index,
from which Python's client is installed into .build/redis-client; without it the test fails. SMOKE_LOOPS selects the loops (all
three). With SMOKE_SHORT, two threads are tested only on the first loop. Prints one line for each check, and exits with 1 if one
failed.
"""
import os
import socket
import sys
import time
from pathlib import Path

import redis_clients
import redis_fuzz
from python_packages import environment
from report import check, run, totals
from server import ROOT, Failed, Server, expect

HERE = Path(__file__).resolve().parent
LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
PYTHON = ROOT / ".build/redis-client/bin/python"


def library(server, name):
    return run(PYTHON, HERE / "redis_library.py", str(server.port), str(server.process.pid), name).decode().strip()


def protocol_errors(server):
    """The errors match those of Redis, follow the earlier replies, and end only their own connection."""
    for sent, told in [
        (b"*x\r\n", b"invalid multibulk length"), (b"*1\r\n!1\r\n", b"expected '$', got '!'"),
        (b"*1\r\n$x\r\n", b"invalid bulk length"), (b'get "a\r\n', b"unbalanced quotes in request"),
        (b"x" * 70_000, b"too big inline request"),
    ]:
        with socket.create_connection(server.address, timeout=10) as peer:
            peer.sendall(b"PING\r\n" + sent)
            heard = b""
            while part := peer.recv(65536):
                heard += part
            expect(heard == b"+PONG\r\n-ERR Protocol error: " + told + b"\r\n", f"{sent[:20]!r}: {heard!r}")


def many_names(server):
    """The work for a name does not depend on the number of names. A copy for each would take minutes here."""
    names = [b"%d" % number for number in range(100_000)]
    began = time.monotonic()
    with socket.create_connection(server.address, timeout=20) as peer:
        for kind in [b"subscribe", b"psubscribe", b"unsubscribe", b"punsubscribe"]:
            words = [kind, *names]
            peer.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
            heard = 0
            while heard < len(names):
                part = peer.recv(1 << 20)
                expect(part, f"the connection ended after {heard} replies to {kind.decode()}")
                heard += part.count(b":")
    return f"{len(names)} names four times in {time.monotonic() - began:.1f} s"


def checks(loop, threads):
    name = f"{loop}, {threads} loop{'s' if threads > 1 else ''}"
    with Server("key-value-server", "--loop", loop, "--port", "0", "--threads", str(threads)) as server:
        # This check runs first, while the server has no freed memory to reuse.
        check(f"{name}: Python's client, fan_out", lambda: library(server, "fan_out"))
        check(f"{name}: redis-cli", lambda: redis_clients.talk(server))
        check(f"{name}: redis-benchmark", lambda: redis_clients.benchmark(server))
        check(f"{name}: MONITOR", lambda: redis_clients.monitor(server))
        check(f"{name}: many channels and patterns", lambda: many_names(server))
        check(f"{name}: errors of protocol", lambda: protocol_errors(server))
        for what in ["random_keys", "pipelines", "expiry"]:
            check(f"{name}: Python's client, {what}", lambda: library(server, what))
        check(f"{name}: spoiled requests", lambda: redis_fuzz.check(server))
        check(f"{name}: ends on SIGTERM", lambda: server.stop().strip())
    with Server("key-value-server", "--loop", loop, "--port", "0", "--threads", str(threads), "--max-request", "1000000") as server:
        check(f"{name}: a request over the limit", lambda: library(server, "frames"))


def shut_down(loop):
    server = Server("key-value-server", "--loop", loop, "--port", "0")
    try:
        return redis_clients.shuts_down(server)
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()


def main():
    check("Python's redis is installed", lambda: environment("redis-client", "redis==5.2.1").name)
    for loop in LOOPS:
        began = time.monotonic()
        for threads in [1, 2]:
            if threads == 2 and loop != LOOPS[0] and os.environ.get("SMOKE_SHORT"):
                print(f"       {loop}, 2 loops: skipped because of SMOKE_SHORT; hops are checked with two of {LOOPS[0]}", flush=True)
                continue
            try:
                checks(loop, threads)
            except Failed as error:
                check(f"{loop}: the server", lambda error=error: expect(False, str(error)))
        check(f"{loop}: SHUTDOWN", lambda: shut_down(loop))
        print(f"       {loop}: {time.monotonic() - began:.0f} s", flush=True)
    return totals()


if __name__ == "__main__":
    sys.exit(main())
