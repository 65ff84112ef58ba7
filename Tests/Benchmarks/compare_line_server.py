#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the line server of Docs/Gallery.md with the one of LineServer, on SwiftNIO, and prints a table in Markdown.

Each is built in an empty folder, with its manifest and nothing but its packages' sources, and then serves the same load. The loads
alternate. Ours runs on the Dispatch loop, SwiftNIO's with one thread; each has CPU 0, and the load generator CPU 1.
"""
import argparse
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver"))

import machine  # noqa: E402
import places  # noqa: E402
import servers  # noqa: E402

OUT = os.path.join(places.ROOT, ".build", "compare")
README = os.path.join(places.ROOT, "Tests", "Checks", "Consumer", "README", "Package.swift")
PEER = os.path.join(places.PACKAGE, "LineServer")
TARGET = "line-server"
# So many lines a second from one connection are never reached.
RATE = "20000"
LOADS = {
    "50 connections, one line in flight": ["-c", "50", "-m", "64"],
    "50 connections, 16 lines in flight": ["-c", "50", "-m", "64", "-P", "16"],
}


class Side:
    """A line server: its manifest, its one file, and what is measured."""

    def __init__(self, name, manifest, program):
        self.name, self.manifest, self.program = name, manifest, program
        self.folder = os.path.join(OUT, re.sub(r"\W", "-", name.lower()))
        self.binary = os.path.join(self.folder, ".build", "release", TARGET)
        self.sources = os.path.join(self.folder, "Sources", TARGET)
        self.cpu = {load: [] for load in LOADS}

    def lines(self):
        """The lines of code, without blank lines and comments."""
        with open(self.program) as file:
            return sum(1 for line in file if line.strip() and not line.strip().startswith("//"))

    def swift(self, *arguments):
        command = [places.SWIFT, *arguments, "--package-path", self.folder]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            sys.exit(f"compare: {' '.join(command)} has ended with {run.returncode}:\n{run.stdout}")

    def build(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.sources)
        with open(os.path.join(self.folder, "Package.swift"), "w") as file:
            file.write(self.manifest)
        shutil.copy(self.program, self.sources)
        self.swift("package", "resolve")
        begun = time.monotonic()
        self.swift("build", "-c", "release")
        self.seconds = time.monotonic() - begun
        stripped = self.binary + ".stripped"
        subprocess.run(["strip", "-o", stripped, self.binary], check=True)
        self.size = os.path.getsize(stripped)

    def check(self):
        """Both sides have to pass the gallery's test of the line server."""
        command = [sys.executable, os.path.join(places.ROOT, "Tests", "Smoke", "gallery.py"), TARGET]
        environment = {**os.environ, "SMOKE_BINARIES": os.path.dirname(self.binary), "SMOKE_LOOPS": "dispatch"}
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
        if run.returncode != 0:
            sys.exit(f"compare: {self.name}'s line server does not do what ours does:\n{run.stdout}")

    @contextlib.contextmanager
    def serving(self):
        self.command = [self.binary, "0", RATE]
        with subprocess.Popen(places.bound(self.command, 0), stdout=subprocess.PIPE, text=True) as process:
            try:
                self.port = int(re.search(r"listening on .*:(\d+)$", process.stdout.readline().strip())[1])
                self.pid = process.pid
                yield
            finally:
                process.terminate()
                if process.wait(timeout=30) != 0:
                    sys.exit(f"compare: {self.name}'s line server has ended with {process.returncode}")

    def measure(self, load, seconds):
        with self.serving():
            found = servers.load(self, [*LOADS[load], "-L", "-V", "-w", "0.3", "-d", str(seconds)])
        self.cpu[load].append(found["srv_cpu_ns"] / 1000)


def sides():
    with open(README) as file:
        ours = file.read()
    address = '.package(url: "https://github.com/OWNER/swift-reactive", from: "0.1.0"'
    if address not in ours:
        sys.exit(f"compare: {README} does not name {address}")
    with open(os.path.join(PEER, "Package.swift")) as file:
        peers = file.read()
    return [
        Side(
            "swift-reactive",
            ours.replace(address, f'.package(name: "swift-reactive", path: "{places.ROOT}"').replace("my-service", TARGET),
            os.path.join(places.ROOT, "Examples", "Gallery", "line-server", "main.swift"),
        ),
        Side("SwiftNIO", peers, os.path.join(PEER, "Sources", TARGET, "main.swift")),
    ]


def describe(peer):
    about = machine.describe()
    with open(os.path.join(peer.folder, "Package.resolved")) as file:
        pins = re.sub(r"\s+", " ", file.read())
    versions = []
    for name in ("swift-nio", "swift-nio-extras"):
        version = machine.first('"identity" : "' + name + r'".*?"version" : "([^"]+)"', pins)
        versions.append(f"{name} {version}")
    versions.insert(0, machine.first(r"(Swift [0-9.]+)", about["versions"]))
    return f"{about['date']}, revision {about['revision']}. {about['machine']}. {', '.join(versions)}."


def table(compared):
    rows = [
        ("lines of code, without blank lines and comments", [str(side.lines()) for side in compared]),
        ("clean release build, s", [f"{side.seconds:.0f}" for side in compared]),
        ("executable, stripped, MiB", [f"{side.size / 2 ** 20:.1f}" for side in compared]),
    ]
    for load in LOADS:
        rows.append((f"CPU for each line, µs: {load}", [f"{statistics.median(side.cpu[load]):.2f}" for side in compared]))
    yield "| | " + " | ".join(side.name for side in compared) + " |"
    yield "|---|" + "---|" * len(compared)
    for title, values in rows:
        yield f"| {title} | " + " | ".join(values) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="the duration of one load")
    options = parser.parse_args()
    if os.cpu_count() < 2:
        sys.exit("compare: two CPUs are needed, one for the server and one for the client")
    places.build_c(["load"])
    compared = sides()
    for side in compared:
        print(f"building {side.name}'s line server", file=sys.stderr, flush=True)
        side.build()
        side.check()
    for number in range(options.rounds):
        for load in LOADS:
            for side in compared[:: -1 if number % 2 else 1]:
                side.measure(load, options.seconds)
    print(f"{describe(compared[1])}\n")
    print("\n".join(table(compared)))


if __name__ == "__main__":
    try:
        main()
    except servers.Failed as failure:
        sys.exit(f"compare: {failure}")
