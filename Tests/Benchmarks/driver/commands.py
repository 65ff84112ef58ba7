# SPDX-License-Identifier: MIT
"""The key-value server compared with redis-server: every request runs a Command."""
import os
import re
import subprocess
import sys
import time

import places
from model import Column, Group, Limit, Part, Table

SERVER = os.path.join(places.ROOT, "Examples", ".build", "release", "key-value-server")
TICK = os.sysconf("SC_CLK_TCK")
KEYS = 10_000


def cpu(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def start(name, port):
    if name == "redis-server":
        command = ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        server = subprocess.Popen(places.bound(command, 0), stdout=subprocess.DEVNULL)
        while subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True).stdout != b"PONG\n":
            if server.poll() is not None:
                sys.exit("bench: redis-server has ended by itself")
            time.sleep(0.05)
        return server, port
    command = places.bound([SERVER, "--loop", name, "--port", "0"], 0)
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return server, int(re.search(r":(\d+),", server.stdout.readline()).group(1))


def load(port, test, pipeline, requests):
    command = ["redis-benchmark", "-p", str(port), "-t", test, "-n", str(requests), "-P", str(pipeline)]
    command += ["-c", "50", "-r", str(KEYS), "-q"]
    subprocess.run(places.bound(command, 1), check=True, stdout=subprocess.DEVNULL, timeout=120)


_port = [17700]


def side(who, test, pipeline, options):
    def measure():
        _port[0] += 1
        requests = options.requests * (1 if pipeline == 1 else 5)
        server, port = start(who, _port[0])
        try:
            # Create every key with its memory, and look each up once.
            load(port, "set", 16, max(requests // 4, 50_000))
            before, begun = cpu(server.pid), time.monotonic()
            load(port, test, pipeline, requests)
            used, lasted = cpu(server.pid) - before, time.monotonic() - begun
        finally:
            server.terminate()
            server.wait()
        row = f"{test} x {pipeline}"
        return [{"row": row, "who": who, "n": requests, "cpu_ns": used / requests * 1e9, "ns": lasted / requests * 1e9}]

    return measure


def part(options):
    whos = ["redis-server", "libuv", "libevent", "dispatch"]
    rows = [(test, pipeline) for pipeline in (1, 16) for test in ("get", "set")]
    limits = [
        Limit(f"{test} x {pipeline}", who, {1: 1.15, 16: 1.8}[pipeline], "redis-server")
        for test, pipeline in rows
        for who in ("libuv", "libevent")
    ]
    return Part(
        name="commands",
        title="Commands: the key-value server beside redis-server",
        intro=(
            "CPU time of the server for each request, user and system. A `Command` executes each request. The server has one thread "
            "and 50 connections, and redis-benchmark runs on the other CPU."
        ),
        products=[],
        groups=[
            # Twice as many rounds for short runs.
            Group(f"{test}, pipeline {pipeline}", {who: side(who, test, pipeline, options) for who in whos}, times=1 if pipeline == 1 else 2)
            for test, pipeline in rows
        ],
        tables=[
            Table(
                "Server CPU, ns a request",
                "ns",
                [
                    Column(f"{test} x {pipeline}", f"{test.upper()}, pipeline {pipeline}", reference="redis-server")
                    for test, pipeline in rows
                ],
                whos,
            )
        ],
        limits=limits,
    )
