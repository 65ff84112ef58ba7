# SPDX-License-Identifier: MIT
"""Signals compared with OpenCombine: signal-bench contains both in one program, and alternates itself."""
import places
from model import Column, Group, Limit, Part, Results, Table

PEER = "OpenCombine"


def run(arguments):
    return places.samples([places.swift("signal-bench"), "--json", *arguments], cpu=None, timeout=600)


def part(options):
    # The program defines the limits of its rows, and reports them after its run.
    result = Part(
        name="signals",
        title="Signals",
        intro=(
            "Events through operators on one thread. Both libraries are built with plain `swift build -c release` and called from "
            "another module. Rows that begin with *sequence* compare with OpenCombine's `Sequence` publisher, and rows that begin "
            "with *subject* with its `PassthroughSubject`. The values are medians of runs that take turns inside one program."
        ),
        products=["signal-bench"],
        groups=[],
        tables=[],
        limits=[],
    )

    result.groups = [Group("signals", {"both": lambda: run(["--rounds", "1"])})]
    result.describe = lambda results: describe(result, results)
    return result


def describe(part, results: Results):
    rows = list(results.rows)
    part.limits = []
    for row in rows:
        for sample in results.rows[row].get("ours", [])[:1]:
            for name, against in (("limit_ratio", PEER), ("limit_ns", None)):
                if name in sample:
                    part.limits.append(Limit(row, "ours", sample[name], against, "ns"))
            # In addition to time limits: no allocation for an event, unless an inner signal is created.
            if not any(word in row for word in ("flatMap", "dispose", "observe")):
                part.limits.append(Limit(row, "ours", 0.01, metric="allocations"))
    part.tables = [
        Table(
            "ns an event", "ns", [Column(row, row, "ns", PEER, digits=1) for row in rows], [PEER, "ours"]
        ),
        Table(
            "Allocations an event", "", [Column(row, row, "allocations", digits=2) for row in rows], [PEER, "ours"]
        ),
    ]
