# SPDX-License-Identifier: MIT
"""Echo servers: one loop thread on CPU 0, and the load generator on CPU 1."""
import os

import counting
import servers
import turns
from model import OURS, Column, Group, Limit, Part, Table

# The workloads, as arguments of the load generator.
LOADS = {
    "50 x 64 B": ["-c", "50", "-m", "64"],
    "50 x 64 B x 16": ["-c", "50", "-m", "64", "-P", "16"],
    "1000 x 64 B": ["-c", "1000", "-m", "64"],
    "1000 x 64 B x 16": ["-c", "1000", "-m", "64", "-P", "16"],
    "10 x 16 KiB x 4": ["-c", "10", "-m", "16384", "-P", "4"],
    # Beyond the size of the CPU cache, the same server takes 14 µs or 40 µs for each message, depending on which side is ahead.
    "bulk": ["-c", "1", "-m", "65536", "-P", "4"],
}
# More rounds if memory placement matters: the same server measures 0.96 in one round and 1.17 in another.
TIMES = {"1000 x 64 B": 4, "1000 x 64 B x 16": 4, "churn": 2}
# A connecting turn is a separate load of a thousand connections.
CHURN = ["-M", "churn", "-c", "16", "-m", "64", "-n", "1000", "-d", "10", "-a", "50"]
TITLES = {
    "50 x 64 B": "50 connections × 64 B",
    "50 x 64 B x 16": "50 connections × 64 B, 16 under way",
    "1000 x 64 B": "1 000 connections × 64 B",
    "1000 x 64 B x 16": "1 000 connections × 64 B, 16 under way",
    "10 x 16 KiB x 4": "10 connections × 16 KiB, 4 under way",
    "churn": "connect, echo, close",
    "bulk": "one connection, 64 KiB at a time, 4 under way (1 024 are 64 MiB)",
}
# The counts of a workload, besides its time.
COUNTED = {
    "50 x 64 B": ("instructions", "system_calls", "allocations"),
    "10 x 16 KiB x 4": ("system_calls", "allocations"),
}
WHOS = list(servers.echo_servers())
SPINNING = list(servers.spinning_servers())


def part(options):
    all_servers = {**servers.echo_servers(), **servers.spinning_servers()}

    def side(row, who, load):
        def measure():
            with servers.Server(*all_servers[who]) as server:
                return [turns.sample(row, who, servers.load(server, load))]

        return measure

    window = ["-w", "0.3", "-d", str(options.seconds)]

    commands = servers.echo_servers()
    echoing = turns.echoing(options.seconds)
    groups = [turns.group(row, load, echoing, commands, TIMES.get(row, 1)) for row, load in LOADS.items()]
    groups.append(turns.group("churn", CHURN, turns.connecting(), commands, TIMES["churn"]))
    alone = ["-c", "1", "-m", "64", *window]
    groups.append(Group("latency", {who: side("latency", who, alone) for who in [*WHOS, *SPINNING]}))
    groups.append(Group("idle", {who: idle(who) for who in WHOS}))
    groups.append(
        Group("two loops", {f"{who} x {n}": several(who, n, window) for who in OURS for n in (1, 2)})
    )
    groups.append(Group("counts", {who: counts(who) for who in WHOS}))
    return Part(
        name="echo",
        title="Echo",
        intro=(
            "CPU time of the server for each message, user and system, as the kernel counts it. One loop thread runs alone on CPU 0, "
            "and the load generator (`Tests/Smoke/load.c`) on CPU 1. Both sides set `TCP_NODELAY`. In each round all servers are new "
            "and run at the same time, with their connections. They get load in turn, twelve times each: for a tenth of a second, or "
            "a thousand connections to accept. Our server is `connection.send(from: connection.received)`. SwiftNIO's is its own "
            "`NIOEchoServer` with one thread. The C servers use `uv_poll` and libevent's raw events, which are faster than the "
            "streams of these libraries."
        ),
        products=["reactive-bench", "nio-bench"],
        groups=groups,
        tables=tables(),
        limits=limits(),
        closing=closing,
    )


def idle(who):
    command, says_port = servers.echo_servers()[who]

    def measure():
        found = servers.idle(command, says_port, 10000)
        return [
            {
                "row": "idle", "who": who, "n": 10000, "cpu_ns": found["connect_cpu_us"] * 1000,
                "bytes_fresh": found["bytes_per_conn"], "bytes_echoed": found["bytes_per_conn_echoed"],
            }
        ]

    return measure


def several(who, threads, window):
    command, says_port = servers.echo_servers(threads)[who]

    def measure():
        # Use as many CPUs as loops, if one is left for the load.
        cpu = ",".join(str(number) for number in range(threads)) if os.cpu_count() > threads else 0
        load_cpu = threads if os.cpu_count() > threads else 1
        with servers.Server(command, says_port, cpu=cpu) as server:
            found = servers.load(server, [*LOADS["50 x 64 B"], *window], cpu=load_cpu)
        return [
            {
                "row": "two loops", "who": f"{who} x {threads}", "n": int(found["msgs"]), "cpu_ns": found["srv_cpu_ns"],
                "ns": 1e9 / found["rate"], "rate": found["rate"], "client": found["cli_util"],
                # The rate of as many free CPUs, computed from the CPU time of a message.
                "capacity": threads * 1e9 / found["srv_cpu_ns"],
            }
        ]

    return measure


def counts(who):
    def measure():
        return [
            # valgrind does not support the dispatch source that serves a guest.
            {
                "row": f"counts {row}", "who": who, "n": 0,
                **counting.of_server(who, LOADS[row], [name for name in what if (who, name) != ("guest", "instructions")]),
            }
            for row, what in COUNTED.items()
        ]

    return measure


def tables():
    columns = [Column(row, TITLES[row], reference="c-epoll") for row in TITLES]
    return [
        Table("Server CPU, ns a message (a connection where it connects)", "ns", columns, WHOS),
        Table(
            "What a message costs beside time",
            "",
            [
                Column(f"counts {row}", f"{TITLES[row]}: {title}", metric, digits=digits)
                for row in ("50 x 64 B", "10 x 16 KiB x 4")
                for metric, title, digits in (
                    ("instructions", "instructions, the kernel's not counted", 0),
                    ("system_calls", "system calls", 2),
                    ("allocations", "allocations", 2),
                )
            ],
            WHOS,
            note="Instructions (callgrind) and system calls (`strace -c`) are the difference between two loads, so neither the start "
            "nor the connections count. A counter in front of malloc counts the allocations during the load.",
        ),
        Table(
            "10 000 idle connections",
            "",
            [
                Column("idle", "bytes a connection, fresh", "bytes_fresh"),
                Column("idle", "bytes a connection, after an echo", "bytes_echoed"),
            ],
            WHOS,
            note="The growth of the resident memory of the process, divided by the number of connections.",
        ),
        Table(
            "One connection alone, on two CPUs: a round trip, µs",
            "µs",
            [
                Column("latency", "one connection's median round trip", "p50_us", "c-epoll", digits=1),
                Column("latency", "99 of 100", "p99_us", digits=1),
            ],
            [*WHOS, *SPINNING],
            note="Most of this time passes while two sleeping CPUs wake. A spinning server busy-polls for a millisecond before its "
            "thread blocks (`spinLimit`). The other libraries do not busy-poll here.",
        ),
    ]


def limits():
    found = []
    for who in OURS:
        for row in ("50 x 64 B", "50 x 64 B x 16"):
            found.append(Limit(row, who, 1.10, "c-epoll"))
        for row in ("1000 x 64 B", "1000 x 64 B x 16"):
            found.append(Limit(row, who, 1.15, "c-epoll"))
    for row in ("50 x 64 B", "50 x 64 B x 16", "1000 x 64 B", "1000 x 64 B x 16"):
        found.append(Limit(row, "guest", 1.60, "c-epoll"))
    for who, peer in (("dispatch", "c-epoll"), ("libuv", "c-libuv"), ("libevent", "c-libevent")):
        found.append(Limit("10 x 16 KiB x 4", who, 1.10, peer))
    for who in OURS:
        found.append(Limit("churn", who, 1.20, "c-epoll"))
        found.append(Limit("bulk", who, 1.10, "c-epoll"))
    for who in OURS:
        found.append(Limit("idle", who, 800, metric="bytes_fresh"))
        found.append(Limit("idle", who, 800, metric="bytes_echoed"))
    for who in SPINNING:
        for peer in ("c-epoll", "c-libuv", "c-libevent", "nio"):
            found.append(Limit("latency", who, 0.60, peer, metric="p50_us"))
    for who in OURS:
        found.append(
            Limit("two loops", f"{who} x 2", 1.70, f"{who} x 1", metric="capacity" if os.cpu_count() < 3 else "rate", is_least=True)
        )
    return found


def closing(results):
    if os.cpu_count() >= 3:
        return ""
    return (
        "Two loops: this machine has two CPUs, and the load generator needs one of them. So the ratio is computed from the CPU time "
        "that a message costs with two loops (`SO_REUSEPORT`) and with one loop. It shows whether the loops slow each other down. It "
        "does not show the throughput of a machine with a third CPU."
    )
