# SPDX-License-Identifier: MIT
"""Hops from thread to thread: floods, round trips, actors."""
import places
from model import OURS, Column, Group, Limit, Part, Table

C_NAMES = {"c-libuv": "uv", "c-libevent": "lev", "c-eventfd": "efd"}
ROWS = {"execute": "flood", "round trip": "pingpong"}


def command(who, row):
    if who in C_NAMES:
        return [places.c("hop"), C_NAMES[who], ROWS[row], "1000000" if row == "execute" else "50000"]
    arguments = ["hops", "--only", row, "--trips", "50000"]
    if who == "nio":
        return [places.swift("nio-bench"), *arguments]
    return [places.swift("reactive-bench"), *arguments, "--loop", who]


def side(who, row, cpu):
    name = f"{row}, {'two CPUs' if cpu is None else 'one CPU'}"

    def measure():
        return [{**sample, "row": name} for sample in places.samples(command(who, row), cpu=cpu)]

    return measure


def part(options):
    groups = []
    for row, whos in (
        ("execute", ["c-libuv", "c-libevent", "c-eventfd", "nio", *OURS]),
        ("round trip", ["c-libuv", "c-libevent", "c-eventfd", "nio", *OURS]),
        ("actor", ["nio", *OURS]),
    ):
        for cpu, name in ((None, "two CPUs"), (0, "one CPU")):
            # A million jobs depend on memory most of all, and take a twentieth of a second.
            times = 5 if row == "execute" else 1
            groups.append(Group(f"{row}, {name}", {who: side(who, row, cpu) for who in whos}, times=times))
    whos = ["c-libuv", "c-libevent", "c-eventfd", "nio", *OURS]
    columns = [
        Column("execute, two CPUs", "a million, two CPUs: wall time", "ns", "c-libuv"),
        Column("execute, one CPU", "a million, one CPU: CPU time", "cpu_ns", "c-libuv"),
        Column("round trip, one CPU", "round trip, one CPU: wall time", "ns", "c-eventfd"),
        Column("round trip, two CPUs", "round trip, two CPUs: wall time", "ns", "c-eventfd"),
        Column("actor, one CPU", "actor's call, one CPU: wall time", "ns", "nio"),
        Column("actor, two CPUs", "actor's call, two CPUs: wall time", "ns", "nio"),
    ]
    limits = []
    for who in OURS:
        limits += [
            Limit("execute, two CPUs", who, 1.3, "c-libuv", "ns"),
            Limit("execute, one CPU", who, 1.3, "c-libuv"),
            Limit("execute, two CPUs", who, 1.0, "nio", "ns"),
            Limit("execute, one CPU", who, 1.0, "nio"),
            Limit("round trip, one CPU", who, 1.2, "c-eventfd", "ns"),
            Limit("actor, one CPU", who, 1.2, "nio", "ns"),
            Limit("actor, two CPUs", who, 1.2, "nio", "ns"),
        ]
    return Part(
        name="hops",
        title="Hops",
        intro=(
            "Work that one thread submits to a loop on another thread: a million jobs one after the other (ns for each; a closure "
            "captures one object, and a node of the C programs has one argument), a round trip between two loops, and an actor on one "
            "loop that calls an actor on another. The C programs keep malloc'd nodes in a list under a mutex, and wake the loop "
            "(`uv_async_send`, `event_active`, an eventfd) if the list was empty. The section on signals compares `observe(on:)` with "
            "OpenCombine's `receive(on:)`."
        ),
        products=["reactive-bench", "nio-bench"],
        groups=groups,
        tables=[Table("ns a hop", "ns", columns, whos)],
        limits=limits,
    )
