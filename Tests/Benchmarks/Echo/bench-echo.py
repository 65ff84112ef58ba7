#!/usr/bin/env python3
"""Server CPU per message of the echo server on each loop, beside C servers on the same libraries, in one run.

The servers run one after the other in every round (A B C A B C ...), each alone on CPU 0 with the load generator on CPU 1;
the table gives the median over the rounds and the median of the per-round ratios to the C server on the same library.
CPU time is read from the kernel, so what else the machine does matters less than it would for wall-clock rates.
With --limit the exit status is 1 where a ratio is over it.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))

CASES = {
    "50 conn x 64 B": ["-c", "50", "-m", "64"],
    "50 conn x 64 B, 16 deep": ["-c", "50", "-m", "64", "-P", "16"],
    "10 conn x 16 KiB, 4 deep": ["-c", "10", "-m", "16384", "-P", "4"],
}
# What each loop is compared with: the C server that uses the same library as a readiness loop.
PEERS = {"dispatch": "epoll in C", "libuv": "uv_poll in C", "libevent": "libevent in C"}


def compile_c(folder):
    def cc(name, source, *libraries):
        out = os.path.join(folder, name)
        subprocess.run(["gcc", "-O2", "-o", out, source, *libraries], check=True)
        return out

    load = os.path.join(ROOT, "Tests", "Smoke", "load.c")
    return {
        "load": cc("load", load),
        "epoll": cc("epoll_echo", os.path.join(HERE, "epoll_echo.c")),
        "uv": cc("uv_echo", os.path.join(HERE, "uv_echo.c"), "-luv"),
        "lev": cc("lev_echo", os.path.join(HERE, "lev_echo.c"), "-levent_core", "-levent_extra"),
    }


def measure(command, load, case, port, seconds, on_stdout):
    server = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.PIPE, text=True)
    try:
        if on_stdout:  # ours says which port it has got
            port = int(re.search(r":(\d+),", server.stdout.readline()).group(1))
        out = subprocess.run(
            ["taskset", "-c", "1", load, "-p", str(port), "-d", str(seconds), "-w", "0.3", "-S", str(server.pid), *case],
            check=True, capture_output=True, text=True, timeout=60,
        ).stdout
    finally:
        server.terminate()
        server.wait()
    return float(re.search(r"srv_cpu_ns=([\d.]+)", out).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.2)
    parser.add_argument("--limit", type=float, help="exit with 1 where a ratio is over this")
    options = parser.parse_args()
    ours = os.path.join(ROOT, "Examples", ".build", "release", "echo-server")
    if os.cpu_count() < 2:
        sys.exit("bench-echo: two CPUs are needed, one for the server and one for the client")

    with tempfile.TemporaryDirectory() as folder:
        binaries = compile_c(folder)
        port = 17000
        servers = {
            "epoll in C": ([binaries["epoll"], "{port}", "lt"], False),
            "dispatch": ([ours, "--loop", "dispatch", "--port", "0", "--quiet"], True),
            "uv_poll in C": ([binaries["uv"], "{port}", "poll"], False),
            "libuv": ([ours, "--loop", "libuv", "--port", "0", "--quiet"], True),
            "libevent in C": ([binaries["lev"], "{port}", "raw"], False),
            "libevent": ([ours, "--loop", "libevent", "--port", "0", "--quiet"], True),
        }
        over = False
        for name, case in CASES.items():
            figures = {server: [] for server in servers}
            for round in range(options.rounds):
                for server, (command, on_stdout) in servers.items():
                    port += 1
                    command = [part.format(port=port) for part in command]
                    figures[server].append(
                        measure(command, binaries["load"], case, port, options.seconds, on_stdout)
                    )
                print(f"\r{name}: round {round + 1} of {options.rounds}", end="", file=sys.stderr, flush=True)
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
            print(f"\n{name} (server CPU, ns per message)")
            for server, values in figures.items():
                line = f"  {server:14} {statistics.median(values):9.0f}  [{min(values):.0f}..{max(values):.0f}]"
                if server in PEERS:
                    ratio = statistics.median(a / b for a, b in zip(values, figures[PEERS[server]]))
                    line += f"  x{ratio:.2f} of {PEERS[server]}"
                    if options.limit and ratio > options.limit:
                        over = True
                        line += f"  over the limit of x{options.limit}"
                print(line, flush=True)
    sys.exit(1 if over else 0)


main()
