# SPDX-License-Identifier: MIT
"""The structure of a part, and the comparison of its measurements with the limits."""
import contextlib
import statistics
from dataclasses import dataclass, field
from typing import Callable, ContextManager, Optional, Union

# The names in the tables. Our loops have their own names.
LABELS = {
    "c-epoll": "epoll in C",
    "c-libuv": "libuv in C",
    "c-libevent": "libevent in C",
    "c-libevent-precise": "libevent in C, precise",
    "c-eventfd": "eventfd in C",
    "c-openssl": "OpenSSL in C",
    "nio": "SwiftNIO",
    "nginx": "nginx",
    "OpenCombine": "OpenCombine",
    "redis-server": "redis-server",
    "dispatch": "Dispatch loop",
    "guest": "Dispatch loop, guest of dispatchMain()",
    "libuv": "libuv loop",
    "libevent": "libevent loop",
    "dispatch spinning": "Dispatch loop, spinning",
    "libuv spinning": "libuv loop, spinning",
    "libevent spinning": "libevent loop, spinning",
    "ours": "ours",
}
OURS = ["dispatch", "libuv", "libevent"]


def label(who):
    return LABELS.get(who, who)


@dataclass
class Limit:
    """The maximum of `metric` for `who` in `row`: a multiple of the value of `against`, or an absolute value."""

    row: str
    who: str
    most: float
    against: Optional[str] = None
    metric: str = "cpu_ns"
    against_row: Optional[str] = None
    # If true, the limit is a minimum.
    is_least: bool = False
    # If true, `most` is a difference from the value of `against`, not a multiple.
    is_difference: bool = False


@dataclass
class Column:
    """A row of a section's table: a figure of a measurement."""

    row: str
    title: str
    metric: str = "cpu_ns"
    reference: Optional[str] = None
    digits: int = 0


@dataclass
class Group:
    """Measurements that alternate: in every round each side is measured equally often. A side returns samples."""

    name: str
    # Or a function that opens the sides for a round and closes them afterwards: all sides exist at once, and are measured in
    # turn.
    sides: Union[dict[str, Callable[[], list[dict]]], Callable[[], ContextManager[dict[str, Callable[[], list[dict]]]]]]
    # The number of rounds for each requested one. For short and noisy measurements, many rounds are better than a few long ones.
    times: int = 1
    # How often each side is measured in a round.
    turns: int = 1

    def opened(self):
        return self.sides() if callable(self.sides) else contextlib.nullcontext(self.sides)


@dataclass
class Table:
    title: str
    unit: str
    columns: list[Column]
    whos: list[str]
    note: str = ""


@dataclass
class Part:
    name: str
    title: str
    intro: str
    products: list[str]
    groups: list[Group]
    tables: list[Table]
    limits: list[Limit]
    # Further text, computed from the results: (results) -> str
    closing: Optional[Callable] = None
    # For rows that only the program knows: fills in tables and limits from the results.
    describe: Optional[Callable] = None
    # Creates what the programs need.
    prepare: Optional[Callable] = None
    plots: list = field(default_factory=list)


class Results:
    """rows[row][who] is a list of samples, in the order of the turns."""

    def __init__(self, rows=None):
        self.rows = rows or {}

    def add(self, sample):
        self.rows.setdefault(sample["row"], {}).setdefault(sample["who"], []).append(sample)

    def values(self, row, who, metric):
        return [s[metric] for s in self.rows.get(row, {}).get(who, []) if s.get(metric) is not None]

    def median(self, row, who, metric):
        values = self.values(row, who, metric)
        return statistics.median(values) if values else None

    def ratio(self, row, who, against, metric, against_row=None):
        """The median of the ratios of values from the same turn."""
        mine, theirs = self.values(row, who, metric), self.values(against_row or row, against, metric)
        if not mine or not theirs:
            return None
        if len(mine) == len(theirs):
            return statistics.median(a / b for a, b in zip(mine, theirs) if b)
        return statistics.median(mine) / statistics.median(theirs)

    def spread(self, row, who, metric):
        """Half of the interquartile range, relative to the median."""
        values = self.values(row, who, metric)
        middle = statistics.median(values) if values else 0
        if len(values) < 2 or not middle:
            return None
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        return (high - low) / 2 / middle

    def measured(self, limit):
        if limit.is_difference:
            mine, theirs = (self.median(limit.row, who, limit.metric) for who in (limit.who, limit.against))
            return None if mine is None or theirs is None else mine - theirs
        if limit.against:
            return self.ratio(limit.row, limit.who, limit.against, limit.metric, limit.against_row)
        return self.median(limit.row, limit.who, limit.metric)

    def is_met(self, limit):
        value = self.measured(limit)
        if value is None:
            return None
        return value >= limit.most if limit.is_least else value <= limit.most
