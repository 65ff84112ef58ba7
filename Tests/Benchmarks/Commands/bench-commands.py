#!/usr/bin/env python3
"""Server CPU per request of the key-value server on each loop, beside redis-server, in one run.

redis-benchmark is the load. The servers run one after the other in every round (A B C A B C ...), each alone on CPU 0 with the
load on CPU 1; the table gives the median over the rounds and the median of the per-round ratios to redis-server. CPU time is
the server's own, user and system, as the kernel counts it (/proc/PID/stat), so what else the machine does matters less than it
would for wall-clock rates. With --limits 1.15,1.8 the exit status is 1 where a ratio is over the limit of its pipeline's length.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
OURS = os.path.join(ROOT, "Examples", ".build", "release", "key-value-server")
LOOPS = ["libuv", "libevent", "dispatch"]
TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Seconds of CPU, and how many requests that can tell apart is the caller's matter: ticks are 10 ms."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def start(name, port):
    if name == "redis-server":
        command = ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        server = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.DEVNULL)
        while subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True).stdout != b"PONG\n":
            if server.poll() is not None:
                sys.exit("bench-commands: redis-server has ended by itself")
            time.sleep(0.05)
        return server, port
    command = [OURS, "--loop", name, "--port", "0"]
    server = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.PIPE, text=True)
    return server, int(re.search(r":(\d+),", server.stdout.readline()).group(1))


def load(port, test, pipeline, requests, keys):
    subprocess.run(
        ["taskset", "-c", "1", "redis-benchmark", "-p", str(port), "-t", test, "-n", str(requests), "-P", str(pipeline),
         "-c", "50", "-r", str(keys), "-q"],
        check=True, stdout=subprocess.DEVNULL, timeout=120,
    )


def measure(name, port, test, pipeline, requests, keys):
    server, port = start(name, port)
    try:
        # Every key there is, and the memory for it; what has been looked up once.
        load(port, "set", 16, max(requests // 4, 50_000), keys)
        before = cpu(server.pid)
        load(port, test, pipeline, requests, keys)
        return (cpu(server.pid) - before) / requests * 1e9
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=200_000, help="at pipeline 1; five times as many at 16")
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--tests", default="get,set")
    parser.add_argument("--pipelines", default="1,16")
    parser.add_argument("--loops", default=",".join(LOOPS))
    parser.add_argument("--limits", help="a limit for each pipeline's length: 1.15,1.8")
    options = parser.parse_args()
    if os.cpu_count() < 2:
        sys.exit("bench-commands: two CPUs are needed, one for the server and one for the client")
    loops = options.loops.split(",")
    pipelines = [int(length) for length in options.pipelines.split(",")]
    limits = dict(zip(pipelines, map(float, options.limits.split(",")))) if options.limits else {}
    over = False
    port = 17700
    for pipeline in pipelines:
        requests = options.requests * (1 if pipeline == 1 else 5)
        for test in options.tests.split(","):
            figures = {name: [] for name in ["redis-server", *loops]}
            for round in range(options.rounds):
                for name in figures:
                    port += 1
                    figures[name].append(measure(name, port, test, pipeline, requests, options.keys))
                print(f"\r{test}: round {round + 1} of {options.rounds}", end="", file=sys.stderr, flush=True)
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
            print(f"\n{test.upper()}, 50 connections, pipeline {pipeline} (server CPU, ns per request)")
            for name, values in figures.items():
                line = f"  {name:14} {statistics.median(values):9.0f}  [{min(values):.0f}..{max(values):.0f}]"
                if name != "redis-server":
                    ratio = statistics.median(a / b for a, b in zip(values, figures["redis-server"]))
                    line += f"  x{ratio:.2f} of redis-server"
                    if pipeline in limits and name != "dispatch" and ratio > limits[pipeline]:
                        over = True
                        line += f"  over the limit of x{limits[pipeline]}"
                print(line, flush=True)
    sys.exit(1 if over else 0)


main()
