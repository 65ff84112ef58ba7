# SPDX-License-Identifier: MIT
"""The measurements of the guards: counts and memory, which do not depend on the load of the machine. figures[row][metric] = value."""
import os
import re
import subprocess

import counting
import places
import servers
import tls
from model import OURS

ECHO = ["-c", "50", "-m", "64"]
LARGE = ["-c", "10", "-m", "16384", "-P", "4"]
# The number of messages that one wait finds depends on timing, so waits have their own limit.
METRICS = ("allocations", "calls_but_waits", "waits", "instructions")
# Rows of signal-bench whose instructions are counted. Allocations are counted in all rows.
SIGNALS = ("source to sink", "map, filter", "scan", "merge", "combineLatest", "fan-out")


def measure(say):
    figures = {}
    for who in OURS:
        say(f"echo, {who}")
        figures[f"echo 50 x 64 B, {who}"] = counting.of_server(who, ECHO, METRICS)
    for who in OURS:
        say(f"idle connections, {who}")
        # Measured after an echo, while the connection waits for the next message.
        found = servers.idle(*servers.echo_servers()[who], 5000)
        figures[f"idle connections, {who}"] = {"bytes": found["bytes_per_conn_echoed"]}
    say("echo, 16 KiB")
    large = counting.of_server("libuv", LARGE, ("allocations",))
    # The number of messages in one read depends on timing too, so this takes the fewest calls of three runs. Counts that fail are
    # left out.
    runs = [counting.of_server("libuv", LARGE, ("system_calls",)) for _ in range(3)]
    figures["echo 10 x 16 KiB x 4, libuv"] = {**large, **min(runs, key=lambda run: run.get("system_calls", float("inf")))}
    say("echo, with an idle timeout")
    figures["echo 50 x 64 B with an idle timeout, libuv"] = idle_timeout()
    # A message is one record each way. Allocations are counted without pipelining: otherwise the number of reads for a record, and so of
    # allocations, depends on timing.
    tls.create_certificate()
    server = tls.tls_servers()["libuv"]
    for row, load in (("64 B", ECHO), ("16 KiB", LARGE)):
        say(f"TLS, {row}")
        figures[f"tls {row}, libuv"] = {
            **counting.of_server("libuv", load[:4], ("allocations",), server, "tls_load"),
            **counting.of_server("libuv", load, ("instructions",), server, "tls_load"),
        }
    server = [places.swift("reactive-http-bench"), "--loop", "libuv"]
    for row, options, load in (
        ("http, an exchange, libuv", ["--bytes", "1024"], [*ECHO, "-G"]),
        ("websocket 64 B, libuv", ["--websocket", "1"], [*ECHO, "-F"]),
    ):
        say(row)
        figures[row] = counting.of_server("libuv", load, ("allocations", "instructions"), ([*server, *options], True))
    say("timers")
    add_timers(figures)
    say("turns")
    add_turns(figures)
    say("hops")
    add_hops(figures)
    say("signals")
    add_signals(figures)
    return figures


def idle_timeout():
    """The cost of a timeout that every message postpones."""
    command, says_port = servers.echo_servers()["libuv"]
    command = [*command, "--idle", "60"]
    return {
        "allocations": counting.allocations(command, says_port, ECHO),
        "instructions": counting.instructions(command, says_port, ECHO),
    }


def counted(command):
    """Allocations by row, from a program that counts them itself if the counter is loaded."""
    return {
        sample["row"]: sample["allocations"]
        for sample in places.samples(command, environment={"LD_PRELOAD": places.c("mcount.so")})
    }


def add_timers(figures):
    program = places.swift("reactive-bench")
    command = [program, "timers", "--loop", "libuv", "--count", "10000", "--cycles", "2", "--pushes", "20000"]
    instructions, allocations = counting.of_program(command), counted(command)
    for row in ("insert 10000 warm", "cancel 10000 warm", "push back"):
        figures[f"timers: {row}"] = {
            "allocations": allocations[row], "instructions": instructions[(row, "libuv")][-1],
        }
    repeating = counted([program, "firing", "--loop", "libuv", "--only", "repeat"])
    figures["timers: repeat"] = {"allocations": repeating["repeat"]}


def add_turns(figures):
    """The cost of a turn, and what a watchdog adds to it."""
    rows = counting.of_program([places.swift("reactive-bench"), "turns", "--loop", "libuv"])
    plain, watched = rows[("turn", "libuv")][0], rows[("watched turn", "libuv")][0]
    figures["turns: one job"] = {"instructions": plain}
    figures["turns: watched"] = {"added_instructions": watched - plain}


def add_hops(figures):
    command = [places.swift("reactive-bench"), "hops", "--loop", "libuv", "--count", "200000", "--only", "execute"]
    figures["hops: execute"] = {
        "allocations": counted(command)["execute"],
        "instructions": counting.of_program(command)[("execute", "libuv")][0],
    }
    # A wake-up writes to the loop's descriptor, at most once for each wait.
    out = os.path.join(places.OUT, "strace.hops")
    subprocess.run(["strace", "-f", "-c", "-o", out, *command], check=True, stdout=subprocess.DEVNULL)
    with open(out) as file:
        calls = dict(
            (name, int(number))
            for number, name in re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", file.read(), re.M)
        )
    waits = sum(number for name, number in calls.items() if counting.is_wait(name))
    figures["hops: execute"]["wake_ups_a_wait"] = calls.get("write", 0) / max(1, waits)


def add_signals(figures):
    program = places.swift("signal-bench")
    for sample in places.samples([program, "--json", "--rounds", "1", "--who", "ours"]):
        figures[f"signals: {sample['row']}"] = {"allocations": sample["allocations"]}
    # One at a time: under valgrind threads alternate, and the row with hops would hang.
    for name in SIGNALS:
        command = [program, "--json", "--rounds", "1", "--who", "ours", "--only", name]
        for (row, _), values in counting.of_program(command).items():
            figures[f"signals: {row}"]["instructions"] = values[0]
