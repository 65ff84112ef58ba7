# SPDX-License-Identifier: MIT
"""The service test: operations on a server and network failures, on every loop.

    python3 Tests/Smoke/service.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES), and needs a C compiler. SMOKE_LOOPS selects the loops (all three),
SMOKE_BYTES the bytes that pass through the port forwarder each way (1 GiB), and SMOKE_IDLE the number of idle connections (10 000).
Prints one line for each check, and exits with 1 if one failed.
"""
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import crowds
import echoing
import forwarding
import operating
from report import check, run, totals
from server import Failed, expect

HERE = Path(__file__).resolve().parent
LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
BYTES = int(os.environ.get("SMOKE_BYTES", 1024 ** 3))
IDLE = int(os.environ.get("SMOKE_IDLE", 10_000))


def checks(loop, load_program):
    other = LOOPS[(LOOPS.index(loop) + 1) % len(LOOPS)]
    check(f"{loop}: {IDLE} idle connections", lambda: crowds.idle(loop, load_program, IDLE))
    check(f"{loop}: 200 clients, 64 descriptors", lambda: crowds.few_descriptors(loop))
    check(f"{loop}: 20 000 connect and close, 2 000 reset", lambda: crowds.come_and_go(loop, load_program))
    check(f"{loop}: 500 slow clients, a flood, 20 that exchange messages", lambda: crowds.slow_and_flood(loop, load_program))
    check(f"{loop}: two threads share", lambda: crowds.two_threads(loop, load_program))
    check(f"{loop}: a limit of connections", lambda: operating.connection_limit(loop))
    check(f"{loop}: an idle timeout", lambda: operating.idle_timeout(loop))
    check(f"{loop}: SIGTERM, all peers finish", lambda: operating.drains(loop))
    check(f"{loop}: SIGTERM, unfinished peers are reset", lambda: operating.cuts(loop))
    check(f"{loop}: a second signal", lambda: operating.second_signal(loop))
    check(f"{loop}: kill -9 and an immediate restart", lambda: operating.killed(loop))
    check(f"{loop}: kill -9 of a Unix server", lambda: operating.killed_unix(loop))
    check(f"{loop}: SIGSTOP and SIGCONT", lambda: operating.stopped(loop))
    check(f"{loop}: a full disk for the log", lambda: operating.full_disk(loop))
    check(f"{loop} to {other}: forwarding", lambda: forwarding.both_ways(loop, other, BYTES))
    check(f"{loop} to {other}: forwarding to a peer that does not read", lambda: forwarding.stalled(loop, other))
    check(f"{loop} to {other}: forwarding from a client that ends its stream at once", lambda: forwarding.ends_early(loop, other))
    check(f"{loop}: datagrams between two echo services", lambda: echoing.ends(loop))


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    with tempfile.TemporaryDirectory() as folder:
        load_program = Path(folder, "load")
        run("cc", "-O2", "-o", load_program, HERE / "load.c")
        for loop in LOOPS:
            began = time.monotonic()
            checks(loop, load_program)
            print(f"       {loop}: {time.monotonic() - began:.0f} s", flush=True)
    return totals()


if __name__ == "__main__":
    sys.exit(main())
