# SPDX-License-Identifier: MIT
"""Servers that run at the same time and get load in turn."""
import contextlib

import servers
from model import Group

# Disturbances of the machine last a second or two. All servers of a round exist at once with their connections, and get load in
# turn for a tenth of a second each, so that a disturbance affects all sides.
TURNS = 12


def sample(row, who, found):
    return {
        "row": row, "who": who, "n": int(found["msgs"]), "cpu_ns": found["srv_cpu_ns"],
        "ns": 1e9 / found["rate"], "p50_us": found["p50us"], "p99_us": found["p99us"],
    }


def echoing(seconds, program="load"):
    """Connections that exist for the whole round. The first fiftieth of a second of each turn refills the CPU caches."""

    @contextlib.contextmanager
    def loading(server, load):
        with servers.Loaded(server, [*load, "-w", "0.02"], program=program) as loaded:
            yield lambda: loaded.measure(seconds / 8)

    return loading


def connecting(program="load"):
    """A separate load of new connections in each turn."""

    @contextlib.contextmanager
    def loading(server, load):
        with server:
            yield lambda: servers.load(server, load, program=program)

    return loading


def group(row, load, loading, commands, times=1):
    """`commands` are those of the servers, by their names."""
    return mixed(row, loading, {(row, who): (command, load) for who, command in commands.items()}, times)


def mixed(name, loading, sides, times=1):
    """Sides of several rows. `sides` are (command of the server, load), by (row, name of the server)."""

    def turn(row, who, measure):
        return lambda: [sample(row, who, measure())]

    @contextlib.contextmanager
    def opened():
        with contextlib.ExitStack() as ends:
            yield {
                f"{who} in {row}": turn(row, who, ends.enter_context(loading(servers.Server(*command), load)))
                for (row, who), (command, load) in sides.items()
            }

    return Group(name, opened, times=times, turns=TURNS)
