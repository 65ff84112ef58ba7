#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails if an event or an idle connection costs more than Tests/Benchmarks/limits.json allows.

An event costs allocations, system calls and instructions, and a connection costs memory. No clock is read, because counts do not depend
on the load of the machine. `--update` writes the measured values as new limits. Use it for a change that is worth its cost, and
explain that in the commit.
"""
import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "driver"))

import guarded  # noqa: E402
import places  # noqa: E402
from model import OURS  # noqa: E402

LIMITS = os.path.join(HERE, "limits.json")
# The margin of a limit, in addition to the tolerance of instructions.
SLACK = {"allocations": 0.02, "system_calls": 0.2, "calls_but_waits": 0.2, "bytes": 16}
# These limits are promised values instead of measured ones: values that depend on thread timing, and values close to the promise.
PROMISED = {
    **{(f"idle connections, {who}", "bytes"): 800 for who in ("libuv", "libevent")},
    ("hops: execute", "wake_ups_a_wait"): 1.0,
    ("turns: watched", "added_instructions"): 10,
    ("signals: subject: observe(on:), receive(on:)", "allocations"): 0.25,
    **{(f"echo 50 x 64 B, {who}", "waits"): 1.0 for who in OURS},
}


def allowed(limits, row, metric, value, scale):
    """The maximum of `metric` in `row`."""
    if metric == "instructions":
        # The longest matching prefix of the row's name.
        begin = max((name for name in limits["tolerance"] if row.startswith(name)), key=len)
        return value * (1 + limits["tolerance"][begin]) * scale
    return value * scale


def per(metric):
    return "a connection" if metric == "bytes" else "an event"


def excesses(limits, figures, scale=1.0):
    """Returns a line for each figure over its limit, and for each limit without a figure."""
    found = [] if limits["rows"] else ["there are no limits: make guards GUARD_FLAGS=--update"]
    for row, metrics in limits["rows"].items():
        for metric, value in metrics.items():
            measured = figures.get(row, {}).get(metric)
            name = metric.replace("_", " ")
            if measured is None:
                found.append(f"{row}: {name} was not measured")
                continue
            most = allowed(limits, row, metric, value, scale)
            if measured > most:
                found.append(f"{row}: {measured:.3f} {name} {per(metric)}, allowed {most:.3f}")
    return found


def limit_for(row, metric, value):
    if (row, metric) in PROMISED:
        return PROMISED[row, metric]
    return round(value) if metric == "instructions" else round(value + SLACK[metric], 2)


def update(figures, limits):
    rows = {}
    for row, metrics in figures.items():
        rows[row] = {metric: limit_for(row, metric, value) for metric, value in metrics.items()}
    limits["rows"] = rows
    with open(LIMITS, "w") as file:
        json.dump(limits, file, indent=2)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="multiply the limits by this; 0.5 must fail")
    parser.add_argument("--again", action="store_true", help="measure nothing, and check the last measurements")
    parser.add_argument("--update", action="store_true", help="write the measured values as new limits")
    parser.add_argument("--skip-build", action="store_true")
    options = parser.parse_args()
    kept = os.path.join(places.OUT, "guards.json")
    if options.again:
        with open(kept) as file:
            figures = json.load(file)
    else:
        places.build_c(["load", "tls_load", "mcount.so"])
        if not options.skip_build:
            places.build_swift(["reactive-bench", "reactive-tls-bench", "reactive-http-bench", "signal-bench"])
        figures = guarded.measure(lambda what: print(f"counting: {what}", file=sys.stderr, flush=True))
        with open(kept, "w") as file:
            json.dump(figures, file, indent=1)
    with open(LIMITS) as file:
        limits = json.load(file)
    if options.update:
        return update(figures, limits)
    found = excesses(limits, figures, options.scale)
    for line in found:
        print(f"over the limit: {line}")
    number = sum(len(metrics) for metrics in limits["rows"].values())
    print(f"guards: {number - len(found)} of {number} limits kept")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
