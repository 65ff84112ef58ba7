# SPDX-License-Identifier: MIT
"""Timers: setting and cancelling many, firing many, repeating, postponing."""
import functools

import counting
import places
import servers
from model import OURS, Column, Group, Limit, Part, Table

COUNTS = [10_000, 100_000, 1_000_000]
PEERS = ["c-libuv", "c-libevent", "nio"]
C_NAMES = {"c-libuv": "uv", "c-libevent": "lev", "c-libevent-precise": "levp"}


def named(count):
    return f"{count:,}".replace(",", " ")


def cancelling(who, count):
    # Small counts need many cycles for the resolution of the clock.
    cycles = {10_000: 30, 100_000: 6}.get(count, 3)
    if who in C_NAMES:
        return [places.c("timers"), C_NAMES[who], "cancel", str(count), str(cycles)]
    if who == "nio":
        return [places.swift("nio-bench"), "timers", "--count", str(count)]
    only = ["--only", "none"] if count != 10_000 else []
    return [
        places.swift("reactive-bench"), "timers", "--loop", who, "--count", str(count), "--cycles", str(cycles), *only,
    ]


def side(command, rename=None):
    def measure():
        found = {}
        for sample in places.samples(command, cpu=0):
            if rename:
                sample["row"] = rename
            # The last warm cycle counts.
            found[sample["row"]] = sample
        return list(found.values())

    return measure


def firing(who, leeway):
    row = f"fire, leeway {leeway} us"
    if who in C_NAMES:
        return side([places.c("timers"), C_NAMES[who], "fire", "100000"], row)
    if who == "nio":
        return side([places.swift("nio-bench"), "firing"], row)
    return side(
        [places.swift("reactive-bench"), "firing", "--loop", who, "--leeway", str(leeway), "--only", "fire"], row
    )


def part(options):
    groups = [
        Group(f"{named(count)} pending", {who: side(cancelling(who, count)) for who in PEERS + OURS}) for count in COUNTS
    ]
    groups.append(Group("firing, leeway 1 ms", {who: firing(who, 1000) for who in ["c-libuv", "c-libevent", *OURS]}))
    groups.append(Group("firing, no leeway", {who: firing(who, 0) for who in ["c-libevent-precise", "nio", *OURS]}))
    groups.append(
        Group(
            "repeating",
            {
                who: side([places.swift("reactive-bench"), "firing", "--loop", who, "--only", "repeat"])
                for who in OURS
            },
        )
    )
    counted = {"LD_PRELOAD": places.c("mcount.so")}
    groups.append(Group("allocations", {who: allocating(who, counted) for who in OURS}))
    groups.append(Group("a socket's deadline", {who: deadline(who) for who in OURS}))
    return Part(
        name="timers",
        title="Timers",
        intro=(
            "CPU time for each timer, on one thread on CPU 0. All programs use the same sequence of random deadlines. libuv and "
            "libevent use one malloc'd handle for each timer. SwiftNIO uses `scheduleCallback`, the faster of its two ways, on the "
            "loop's thread. Ours runs as work of the loop. *Cold* is the first run, in which malloc gets pages from the kernel. "
            "*Warm* is the last of several runs."
        ),
        products=["reactive-bench", "nio-bench"],
        groups=groups,
        tables=tables(),
        limits=limits(),
    )


def allocating(who, environment):
    def measure():
        found = {}
        program = places.swift("reactive-bench")
        for command in (
            [program, "firing", "--loop", who, "--only", "repeat"],
            [program, "timers", "--loop", who, "--count", "100000", "--cycles", "2"],
        ):
            for sample in places.samples(command, cpu=0, environment=environment):
                found[sample["row"]] = {
                    "row": f"counted {sample['row']}", "who": who, "n": sample["n"], "allocations": sample["allocations"],
                }
        return list(found.values())

    return measure


def deadline(who):
    """The additional cost of a message if the connection has an idle timeout."""

    def measure():
        (command, says_port), load = servers.echo_servers()[who], ["-c", "50", "-m", "64"]
        found = {"row": "deadline", "who": who, "n": 0}
        # Detecting a few of a thousand instructions takes many messages.
        longer = functools.partial(counting.instructions, short=0.5, long=2)
        for name, count in (("instructions", longer), ("allocations", counting.allocations)):
            plain = count(command, says_port, load)
            found[name] = count([*command, "--idle", "60"], says_port, load) - plain
        return [found]

    return measure


def tables():
    whos = PEERS + OURS
    return [
        Table(
            "Setting and cancelling, ns of CPU a timer",
            "ns",
            [
                Column(f"{what} {count} {state}", f"{title} {named(count)}, {state}", reference="c-libevent", digits=1)
                for what, title in (("insert", "set"), ("cancel", "cancel"))
                for count in COUNTS
                for state in ("cold", "warm")
            ],
            whos,
            note="A cancellation in SwiftNIO searches all timers, so only 300 of a million are cancelled, and only once.",
        ),
        Table(
            "Memory, bytes a timer",
            "B",
            [
                Column("insert 1000000 cold", "1 000 000 pending, bytes a timer", "bytes", digits=1),
                Column("release 1000000 cold", "left when all were cancelled, bytes", "bytes", digits=1),
            ],
            whos,
            note="Allocated memory, as `mallinfo2` reports it. The closures capture nothing.",
        ),
        Table(
            "100 000 timers within a second: CPU and lateness",
            "",
            [
                Column(f"fire, leeway {leeway} us", f"{title}: {text}", metric, digits=digits)
                for leeway, title in ((1000, "leeway 1 ms"), (0, "no leeway"))
                for metric, text, digits in (
                    ("cpu_ns", "CPU, ns a timer", 0),
                    ("late_min_us", "earliest, µs", 1),
                    ("late_p50_us", "median lateness, µs", 1),
                    ("late_p99_us", "99 of 100, µs", 1),
                )
            ],
            ["c-libuv", "c-libevent", "c-libevent-precise", "nio", *OURS],
            note="A negative lateness means that a timer fired early. Timers of libuv and libevent do, because of the clocks of these "
            "libraries. Ours never do.",
        ),
        Table(
            "Again and again, ns of CPU and allocations",
            "",
            [
                Column("repeat", "a repeating timer's firing, ns", digits=1),
                Column("counted repeat", "a repeating timer's firing, allocations", "allocations", digits=2),
                Column("push back", "a timer disposed and re-created, among 10 000, ns", digits=1),
                Column("counted push back", "allocations for that", "allocations", digits=2),
                Column("deadline", "an idle timeout that a message pushes back, instructions", "instructions", digits=0),
                Column("deadline", "an idle timeout that a message pushes back, allocations", "allocations", digits=2),
            ],
            OURS,
            note="A thousand repeating timers are due every millisecond. A firing includes the removal from the queue, the call and "
            "the insertion. The rows of the idle timeout show the additional cost of a message on a connection with a timeout. It is "
            "counted in instructions, because the clock cannot resolve it: a message sets no timer. Instead, a timer checks four "
            "times within the interval whether bytes have moved.",
        ),
    ]


def limits():
    found = []
    for who in OURS:
        found += [
            Limit("insert 1000000 cold", who, 1.0, "c-libevent"),
            Limit("cancel 1000000 cold", who, 0.5, "c-libevent"),
            Limit("insert 1000000 cold", who, 96, metric="bytes"),
            Limit("release 1000000 cold", who, 1, metric="bytes"),
            Limit("insert 1000000 warm", who, 3.0, who, against_row="insert 10000 warm"),
            Limit("cancel 1000000 warm", who, 3.0, who, against_row="cancel 10000 warm"),
            Limit("fire, leeway 1000 us", who, 1.0, "c-libevent"),
            Limit("fire, leeway 1000 us", who, 0, metric="late_min_us", is_least=True),
            Limit("fire, leeway 0 us", who, 1.0, "c-libevent-precise"),
            Limit("fire, leeway 0 us", who, 50, metric="late_p50_us"),
            Limit("repeat", who, 60),
            Limit("counted repeat", who, 0.01, metric="allocations"),
            # Less than the clock can resolve in an echo, because an instruction takes less than a nanosecond.
            Limit("deadline", who, 60, metric="instructions"),
            Limit("deadline", who, 0.01, metric="allocations"),
        ]
    return found
