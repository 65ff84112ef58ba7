#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures this library and its peers in one run, and writes Docs/Performance.md and .build/bench/*.json.

The sides alternate. Each is a process of its own, which is started again in every round.
"""
import argparse
import json
import os
import re
import shutil
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver"))

import commands  # noqa: E402
import echo  # noqa: E402
import growth  # noqa: E402
import hops  # noqa: E402
import machine  # noqa: E402
import page  # noqa: E402
import places  # noqa: E402
import servers  # noqa: E402
import signals  # noqa: E402
import timers  # noqa: E402
import tls  # noqa: E402
import web  # noqa: E402
from model import Results  # noqa: E402

PARTS = {module.__name__: module for module in (echo, tls, web, timers, hops, signals, growth, commands)}


def measure(part, options):
    results, begun = Results(), time.monotonic()
    for group in part.groups:
        if not re.search(options.only, group.name):
            continue
        rounds = options.rounds * group.times
        for number in range(rounds):
            with group.opened() as sides:
                for turn in range(group.turns):
                    # Alternating directions, so that no side always runs after the same one.
                    for who, side in list(sides.items())[:: -1 if turn % 2 else 1]:
                        show(f"{part.name}, {group.name}: round {number + 1} of {rounds}, {who} ({time.monotonic() - begun:.0f} s)")
                        for sample in side():
                            results.add(sample)
    show("")
    return results


def show(text):
    """Shows the progress: one line that is overwritten, or one line for each step if the output is no terminal."""
    if sys.stderr.isatty():
        print(f"\r{text[:shutil.get_terminal_size().columns - 1]:<100}", end="" if text else "\r", file=sys.stderr, flush=True)
    elif text and ": round 1 of" in text and text != show.last:
        print(text, file=sys.stderr, flush=True)
    show.last = text


show.last = ""


def kept(part):
    """The text that the last run left, if any."""
    try:
        with open(os.path.join(places.OUT, f"{part.name}.json")) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def kept_results(part):
    return Results(kept(part).get("rows"))


def finish(part, results, about):
    """Writes the results as JSON and as a section of the page, and prints a summary."""
    if part.describe:
        part.describe(results)
    with open(os.path.join(places.OUT, f"{part.name}.json"), "w") as file:
        json.dump({"about": about, "rows": results.rows}, file, indent=1)
    missed = [limit for limit in part.limits if results.is_met(limit) is False]
    met = sum(1 for limit in part.limits if results.is_met(limit))
    print(f"\n{part.title}: {met} limits met, {len(missed)} missed")
    for limit in missed:
        what = f"{page.title(part, limit.row, limit.metric)}, {limit.who}"
        print(f"  {what}: {page.words(part, limit)}, measured {results.measured(limit):.2f}")
    sys.stdout.flush()
    return page.section(part, results, about)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.8, help="the duration of one load")
    parser.add_argument("--requests", type=int, default=150_000, help="the requests of redis-benchmark at pipeline 1")
    parser.add_argument("--only", default="", help="run only groups whose name matches this regular expression")
    parser.add_argument("--again", action="store_true", help="measure nothing, and write the page from the existing JSON")
    parser.add_argument("--skip-build", action="store_true")
    options = parser.parse_args()
    if os.cpu_count() < 2:
        sys.exit("bench: two CPUs are needed, one for the server and one for the client")
    parts = [PARTS[name].part(options) for name in options.parts or PARTS]
    if not options.again:
        places.build_c()
        for part in parts:
            if part.prepare:
                part.prepare()
        if not options.skip_build:
            places.build_swift(sorted({product for part in parts for product in part.products}))
    sections = {}
    for part in parts:
        if options.again:
            if kept(part):
                sections[part.name] = finish(part, kept_results(part), kept(part)["about"])
            continue
        about = {**machine.describe(), "rounds": options.rounds}
        results = measure(part, options)
        if options.only:
            # Groups that were not requested keep their results.
            results = Results({**kept_results(part).rows, **results.rows})
        sections[part.name] = finish(part, results, about)
        # Written after each part, so that an interrupted run keeps its results.
        page.write(sections)
    if options.again:
        page.write(sections)


if __name__ == "__main__":
    try:
        main()
    except servers.Failed as failure:
        sys.exit(f"bench: {failure}")
