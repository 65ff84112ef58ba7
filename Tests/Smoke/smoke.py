# SPDX-License-Identifier: MIT
"""The smoke test: the echo server on every loop, with third-party clients.

    python3 Tests/Smoke/smoke.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES), and needs socat, OpenBSD netcat and a C compiler. SMOKE_BYTES is
the number of bytes that the random client sends (1 GiB), SMOKE_LOOPS selects the loops (all three), and SMOKE_BARE_SERVER is an echo
server built without traits. Prints one line for each check, and exits with 1 if one failed.
"""
import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import command_line
import exhaustion
import peers
import stalling
from report import check, load, run, totals
from server import Failed, Server, expect

HERE = Path(__file__).resolve().parent
LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
BYTES = int(os.environ.get("SMOKE_BYTES", 1024 ** 3))
def pipe_through(command, data_file):
    """Everything returns, then the end of stream, although the client has half-closed before it reads the last bytes."""
    with open(data_file, "rb") as data:
        back = run(*command, stdin=data)
    original = Path(data_file).read_bytes()
    expect(hashlib.sha256(back).digest() == hashlib.sha256(original).digest(), f"{len(back)} bytes back, not the same")


def random_client(server):
    return run(sys.executable, HERE / "random_client.py", str(server.port), "--bytes", str(BYTES)).decode().strip()


def ends_in_order(server):
    printed = server.stop()
    expect("served" in printed, f"it printed {printed!r}")
    return printed.strip()


def version_6(loop, data_file):
    with Server("echo-server", "--loop", loop, "--host", "::1", "--port", "0", "--quiet") as server:
        pipe_through(["nc", "-N", "::1", str(server.port)], data_file)


def relay(loop, other):
    with Server("RelayServer", "--loop", loop, "--other", other) as server:
        return stalling.check(server)


def echo_checks(loop, load_program, data_file):
    with Server("echo-server", "--loop", loop, "--port", "0", "--quiet") as server:
        port = str(server.port)
        check(f"{loop}: socat", lambda: pipe_through(["socat", "-t", "60", "-", f"TCP:127.0.0.1:{port}"], data_file))
        check(f"{loop}: netcat -N", lambda: pipe_through(["nc", "-N", "127.0.0.1", port], data_file))
        check(f"{loop}: load, 100 connections", lambda: load(
            load_program, server, "-M", "echo", "-c", "100", "-m", "1024", "-P", "16", "-w", "0.2", "-d", "1"))
        check(f"{loop}: load, large messages", lambda: load(
            load_program, server, "-M", "echo", "-c", "10", "-m", "100000", "-P", "4", "-w", "0.2", "-d", "1"))
        check(f"{loop}: load, with connections that come and go", lambda: load(
            load_program, server, "-M", "churn", "-c", "50", "-m", "64", "-d", "1", "-a", "8"))
        check(f"{loop}: peers that misbehave", lambda: peers.check(server))
        check(f"{loop}: 1000 connections", lambda: random_client(server))
        check(f"{loop}: ends on SIGTERM", lambda: ends_in_order(server))
    check(f"{loop}: IPv6", lambda: version_6(loop, data_file))

    def stalled():
        with Server("echo-server", "--loop", loop, "--port", "0", "--quiet") as server:
            return stalling.check(server)

    check(f"{loop}: a peer that does not read", stalled)
    other = LOOPS[(LOOPS.index(loop) + 1) % len(LOOPS)]
    check(f"{loop}: the same through {other}", lambda: relay(loop, other))
    check(f"{loop}: out of descriptors", lambda: exhaustion.check(loop))
    check(f"{loop}: port taken", lambda: command_line.port_taken(loop))
    check(f"{loop}: address elsewhere", lambda: command_line.address_elsewhere(loop))
    check(f"{loop}: no permission", lambda: command_line.no_permission(loop))


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    check("an unknown loop", command_line.unknown_loop)
    check("an invalid port", command_line.bad_port)
    check("an invalid address", command_line.bad_address)
    check("the usage of every example", command_line.usage)
    if "SMOKE_BARE_SERVER" in os.environ:
        check("a loop and TLS that are not in the build", command_line.missing_trait)
    with tempfile.TemporaryDirectory() as folder:
        load_program = Path(folder, "load")
        run("cc", "-O2", "-o", load_program, HERE / "load.c")
        data_file = Path(folder, "data")
        data_file.write_bytes(os.urandom(8_000_001))
        for loop in LOOPS:
            began = time.monotonic()
            try:
                echo_checks(loop, load_program, data_file)
            except Failed as error:
                check(f"{loop}: the server", lambda error=error: expect(False, str(error)))
            print(f"       {loop}: {time.monotonic() - began:.0f} s", flush=True)
    return totals()


if __name__ == "__main__":
    sys.exit(main())
