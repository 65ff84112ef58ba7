# SPDX-License-Identifier: MIT
"""A compressed long run: mixed load on every loop at once, and the growth of memory and descriptors.

    python3 Tests/Smoke/soak.py [--seconds 600]

Starts an echo server with two threads for each loop (SMOKE_LOOPS), and in front of it a port forwarder to another kind of loop. Their
connections stay open, come and go, reset, send slowly, flood, or do not read. Once a second the memory and the descriptors of each
process are recorded. Exits with 1 if a connection gets wrong bytes, if memory still grows in the second half, or if descriptors are
left after all clients have disconnected.
"""
import argparse
import os
import random
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from crowds import break_off, echo_server
from forwarding import forwarder
from report import run
from server import Failed, expect
from stalling import echo

HERE = Path(__file__).resolve().parent
LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
# The allowed growth from the second quarter to the last. Memory that malloc returns late is not a leak.
GROWTH_LIMIT = 4 * 1024 * 1024


class Load:
    """Threads that each apply one kind of load to one server until the end."""

    def __init__(self, server, load_program):
        self.server, self.load_program = server, load_program
        self.over = threading.Event()
        self.failures, self.counts = [], {}
        kinds = [self.stay, self.break_off, self.dribble, self.stall, self.churn, self.flood]
        self.threads = [threading.Thread(target=self.repeat, args=(kind,)) for kind in kinds]
        for thread in self.threads:
            thread.start()

    def repeat(self, kind):
        while not self.over.is_set():
            try:
                kind()
                self.counts[kind.__name__] = self.counts.get(kind.__name__, 0) + 1
            except (Failed, OSError, subprocess.SubprocessError) as error:
                self.failures.append(f"{kind.__name__}: {error}")
                return

    def connect(self):
        return socket.create_connection(self.server.address, timeout=30)

    def stay(self):
        peers = [self.connect() for _ in range(20)]
        for _ in range(30):
            for peer in peers:
                echo(peer, random.randbytes(random.randrange(1, 20_000)))
            if self.over.wait(0.05):
                break
        for peer in peers:
            peer.close()

    def break_off(self):
        break_off(self.server, 20)
        self.over.wait(0.1)

    def dribble(self):
        with self.connect() as peer:
            for _ in range(50):
                echo(peer, random.randbytes(1))
                if self.over.wait(0.02):
                    break

    def stall(self):
        with self.connect() as peer:
            peer.setblocking(False)
            for _ in range(200):
                try:
                    peer.send(bytes(65536))
                except BlockingIOError:
                    if self.over.wait(0.01):
                        break

    def churn(self):
        self.program("-M", "churn", "-c", "10", "-m", "64", "-n", "500", "-d", "20", "-a", "8")
        self.over.wait(0.2)

    def flood(self):
        self.program("-M", "echo", "-c", "4", "-m", "65536", "-P", "8", "-d", "0.5", "-w", "0.1")
        self.over.wait(0.5)

    def program(self, *arguments):
        line = run(self.load_program, "-p", str(self.server.port), "-V", *arguments).decode()
        expect("bad=0" in line, line)

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()


def judge(name, samples, own):
    quarter = max(1, len(samples) // 4)
    early = statistics.median(memory for memory, _ in samples[quarter:2 * quarter])
    late = statistics.median(memory for memory, _ in samples[-quarter:])
    print(f"{name}: memory {early / 1048576:.1f} MiB in the second quarter, {late / 1048576:.1f} in the last; "
          f"{max(count for _, count in samples)} descriptors at most, {own} before")
    expect(late - early < GROWTH_LIMIT, f"{name}: memory climbs, {[memory // 1024 for memory, _ in samples]} KiB")


def soak(seconds, load_program):
    servers, loads, samples = {}, [], {}
    try:
        for loop, other in zip(LOOPS, LOOPS[1:] + LOOPS[:1]):
            servers[loop] = echo_server(loop, "--threads", "2")
            servers[f"{other} to {loop}"] = forwarder(other, loop, servers[loop].port)
        for server in servers.values():
            with socket.create_connection(server.address, timeout=10) as first:
                echo(first, b"first")
        time.sleep(0.5)
        own = {name: server.descriptors() for name, server in servers.items()}
        samples = {name: [] for name in servers}
        loads = [Load(server, load_program) for server in servers.values()]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(1)
            for name, server in servers.items():
                expect(server.process.poll() is None, f"{name} has ended by itself")
                samples[name].append((server.memory(), server.descriptors()))
            for load in loads:
                expect(not load.failures, f"{load.failures}")
        for load in loads:
            load.stop()
        for name, load in zip(servers, loads):
            expect(not load.failures, f"{name}: {load.failures}")
            print(f"{name}: {load.counts}")
        for name, server in servers.items():
            server.settles_at(own[name])
            judge(name, samples[name], own[name])
        for server in reversed(servers.values()):
            server.stop()
    finally:
        for load in loads:
            load.over.set()
        for server in servers.values():
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()
            server.process.stdout.close()
            server.process.stderr.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    with tempfile.TemporaryDirectory() as folder:
        load_program = Path(folder, "load")
        run("cc", "-O2", "-o", load_program, HERE / "load.c")
        try:
            soak(options.seconds, load_program)
        except (Failed, OSError, subprocess.SubprocessError) as error:
            print(f"FAILED: {error}")
            return 1
    print(f"flat over {options.seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
