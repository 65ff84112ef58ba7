# SPDX-License-Identifier: MIT
"""How cost grows, with a plot for each measurement."""
import math

import places
import servers
import signals
import timers
from model import OURS, Column, Group, Limit, Part, Table

CONNECTIONS = [10, 100, 1000, 10_000]
PENDING = [1000, 10_000, 100_000, 1_000_000]
OBSERVERS = [1, 10, 100, 1000, 10_000]
ECHO = ["c-epoll", "nio", *OURS]
TIMERS = ["c-libuv", "c-libevent", *OURS]


def echo(who, count, options):
    command, says_port = servers.echo_servers()[who]

    def measure():
        with servers.Server(command, says_port) as server:
            found = servers.load(server, ["-c", str(count), "-m", "64", "-w", "0.3", "-d", str(options.seconds), "-a", "20"])
        return [{"row": f"echo {count}", "who": who, "n": int(found["msgs"]), "cpu_ns": found["srv_cpu_ns"]}]

    return measure


def pending(who, count):
    cycles = max(2, min(30, 1_000_000 // count))
    if who in timers.C_NAMES:
        command = [places.c("timers"), timers.C_NAMES[who], "cancel", str(count), str(cycles)]
    else:
        command = [places.swift("reactive-bench"), "timers", "--loop", who, "--count", str(count), "--cycles", str(cycles)]
        command += ["--only", "none"]

    def measure():
        found = {}
        for sample in places.samples(command, cpu=0):
            what, _, state = sample["row"].split()
            if state == "warm" and what != "release":
                found.setdefault(what, []).append(sample["cpu_ns"])
        both = sum(sorted(values)[len(values) // 2] for values in found.values())
        return [{"row": f"timers {count}", "who": who, "n": count, "cpu_ns": both}]

    return measure


def fan_out():
    found = []
    for sample in signals.run(["--growth", "--rounds", "1"]):
        digits = "".join(c for c in sample["row"] if c.isdigit())
        found.append({**sample, "row": f"fan-out {digits}"})
    return found


def part(options):
    groups = [Group(f"echo, {count} connections", {who: echo(who, count, options) for who in ECHO}) for count in CONNECTIONS]
    groups += [Group(f"{count} timers", {who: pending(who, count) for who in TIMERS}) for count in PENDING]
    groups.append(Group("fan-out", {"both": fan_out}))
    return Part(
        name="growth",
        title="Growth",
        intro="The cost of one event as the number of connections, pending timers (set and cancelled, warm) or observers grows.",
        products=["reactive-bench", "nio-bench", "signal-bench"],
        groups=groups,
        tables=[
            Table("Echo, server CPU, ns a message", "ns", columns("echo", CONNECTIONS, "connections"), ECHO),
            Table("Timers, CPU for setting and cancelling one, ns", "ns", columns("timers", PENDING, "pending"), TIMERS),
            Table(
                "Fan-out, ns a delivery",
                "ns",
                columns("fan-out", OBSERVERS, "observers", "ns", 1),
                ["OpenCombine", "ours"],
            ),
        ],
        limits=limits(),
        plots=[
            ("growth-echo", "Echo: server CPU a message", "connections", "ns", "echo", CONNECTIONS, ECHO, "cpu_ns"),
            ("growth-timers", "Timers: set and cancel", "pending", "ns", "timers", PENDING, TIMERS, "cpu_ns"),
            ("growth-fan-out", "Fan-out: one delivery", "observers", "ns", "fan-out", OBSERVERS, ["OpenCombine", "ours"], "ns"),
        ],
    )


def columns(row, counts, what, metric="cpu_ns", digits=0):
    return [Column(f"{row} {count}", f"{timers.named(count)} {what}", metric, digits=digits) for count in counts]


def limits():
    """At most logarithmic growth: from the first count to the last, cost grows no more than the logarithm of the count."""
    found = []
    for row, counts, whos, metric in (
        ("echo", CONNECTIONS, OURS, "cpu_ns"), ("timers", PENDING, OURS, "cpu_ns"), ("fan-out", OBSERVERS[1:], ["ours"], "ns"),
    ):
        factor = math.log(counts[-1]) / math.log(counts[0])
        for who in whos:
            found.append(Limit(f"{row} {counts[-1]}", who, round(factor, 2), who, metric, f"{row} {counts[0]}"))
    return found
