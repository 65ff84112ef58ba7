#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sends twice as many requests as the example http-server can answer, with and without its limiter.

The load does not wait for answers (C/open_load.c). The work is a simulated database: 8 queries at a time, 10 ms each. Prints a
table. Without --seconds it runs for 60 seconds, writes Docs/Overload.svg and fails if the limiter misses a bound. With
--seconds it runs shorter, and checks only that both servers answer and that the limiter rejects.
"""
import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "driver"))

import places  # noqa: E402
import plot  # noqa: E402

SERVER = os.environ.get("SERVER", os.path.join(places.ROOT, "Examples", ".build", "release", "http-server"))
WORK_MS, WORKERS = 10, 8
# After this time a client gives up. A later answer is worth nothing.
PATIENCE_MS = 1000
LEAST_GOODPUT, MOST_LATENCY = 0.8, 5
WHOS = {"without": [], "with": ["--overload"]}
TITLES = {"without": "without a limiter", "with": "with a limiter"}


class Server:
    """The example during the `with`."""

    def __init__(self, *arguments):
        self.command = [SERVER, "--port", "0", "--work", str(WORK_MS), "--workers", str(WORKERS), *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"listening on .*?:(\d+),", line)
        if not found:
            sys.exit(f"overload: {' '.join(self.command)} printed {line!r}")
        self.port = found[1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def load(self, rate, seconds):
        """Sends `rate` requests a second. Returns the sums, and those of each second."""
        command = [places.c("open_load"), self.port, "/work", str(rate), str(seconds), str(PATIENCE_MS)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
        if run.returncode != 0:
            sys.exit(f"overload: {' '.join(command)}: {run.stderr}")
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        return lines[-1], lines[:-1]


def measure(seconds):
    """The highest goodput, the latency without load, and the results at twice that goodput."""
    nominal, short = WORKERS * 1000 / WORK_MS, min(5, seconds)
    with Server() as server:
        unloaded, _ = server.load(nominal / 5, short)
    peak = 0
    for part in (0.7, 0.8, 0.9, 1):
        with Server() as server:
            sums, _ = server.load(nominal * part, short)
        peak = max(peak, sums["ok"] / short)
    results = {}
    for who, arguments in WHOS.items():
        with Server(*arguments) as server:
            results[who] = server.load(2 * peak, seconds)
    return peak, unloaded, results


def table(peak, unloaded, results, seconds):
    rows = [f"peak {peak:.0f}/s, unloaded p99 {unloaded['p99_ms']:.1f} ms; load {2 * peak:.0f}/s for {seconds} s"]
    rows += ["", "| | answered within a second | of the peak | rejected | timed out | p50 | p99 | of the unloaded p99 |", "|---|---|---|---|---|---|---|---|"]
    for who, (sums, _) in results.items():
        rows.append(
            f"| {TITLES[who]} | {sums['ok'] / seconds:.0f}/s | {sums['ok'] / seconds / peak:.0%} | {sums['busy'] / seconds:.0f}/s "
            f"| {(sums['late'] + sums['failed']) / seconds:.0f}/s | {sums['p50_ms']:.0f} ms | {sums['p99_ms']:.0f} ms "
            f"| {sums['p99_ms'] / unloaded['p99_ms']:.1f} x |"
        )
    return "\n".join(rows)


def latency(line):
    """The p99 of one second. A time-out counts as the time after which the client gives up."""
    return PATIENCE_MS if line["late"] + line["failed"] > line["due"] / 100 else line["p99_ms"]


def panel(top, title, unit, results, value, most, marks):
    """A plot of one value over time, from zero to `most`."""
    left, right, width, height = 70, 170, 800, 170
    parts = [plot.text(left, top - 10, f"{title}, {unit}", kind="title")]

    def y(number):
        return top + height - min(number, most) / most * height

    for step in range(5):
        number = most * step / 4
        parts += [plot.line(left, y(number), width - right, y(number), "grid")]
        parts += [plot.text(left - 8, y(number) + 4, f"{number:.0f}", "end")]
    labels = [(y(number), name) for name, number in marks]
    parts += [plot.line(left, y(number), width - right, y(number), "at") for _, number in marks]
    for who, (_, lines) in results.items():
        colour = "c0" if who == "with" else "c6"
        step = (width - left - right) / max(1, len(lines) - 1)
        points = " ".join(f"{left + step * index:.1f},{y(value(line)):.1f}" for index, line in enumerate(lines))
        parts.append(f'<polyline points="{points}" class="{colour}" style="fill: none" stroke-width="2"/>')
        labels.append((y(value(lines[-1])), TITLES[who]))
    place = -100.0
    for end, name in sorted(labels):
        # Labels that would overlap are moved apart.
        place = max(place + 15, end + 4)
        parts.append(plot.text(width - right + 10, place, name))
    return parts


def draw(peak, unloaded, results, seconds):
    marks = [("80 % of the peak", LEAST_GOODPUT * peak)]
    parts = panel(50, "Answered within a second", "requests/s", results, lambda line: line["ok"], 1.2 * peak, marks)
    bound = [("5 x unloaded", MOST_LATENCY * unloaded["p99_ms"])]
    parts += panel(290, f"p99, where a time-out counts as {PATIENCE_MS}", "ms", results, latency, 1.2 * PATIENCE_MS, bound)
    parts.append(plot.text(350, 490, f"seconds at twice the capacity, 0 to {seconds}", "middle"))
    plot.save(os.path.join(places.ROOT, "Docs"), "Overload", 800, 500, parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, help="a short run without bounds")
    options = parser.parse_args()
    seconds = options.seconds or 60
    places.build_c(["open_load"])
    peak, unloaded, results = measure(seconds)
    print(table(peak, unloaded, results, seconds))
    limited = results["with"][0]
    if options.seconds:
        if limited["ok"] == 0 or limited["busy"] == 0 or results["without"][0]["ok"] == 0:
            sys.exit("overload: a server did not answer, or the limiter did not reject")
        return
    draw(peak, unloaded, results, seconds)
    if limited["ok"] / seconds < LEAST_GOODPUT * peak:
        sys.exit(f"overload: less than {LEAST_GOODPUT:.0%} of the peak was answered")
    if limited["p99_ms"] > MOST_LATENCY * unloaded["p99_ms"]:
        sys.exit(f"overload: the p99 is more than {MOST_LATENCY} times that of an idle server")


main()
