#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares four threads that pause signals of their own with four processes of one thread each, which share nothing.

Prints the median ratio of the CPU time (Docs/Decisions/0010-a-pause-locks-its-path.md). Threads and processes use all processors, so the
locks that the threads share are the main difference. Fails if a ratio is above the limit.
"""
import os
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver"))

import places  # noqa: E402

COUNT = 4
LIMIT = 1.10
ROUNDS = 9
# Values between two pauses, and values in all, for about a second.
EVENTS = {1: 100_000, 16: 1_500_000, 256: 8_000_000}


def cpu(processes, threads, chain, interval):
    """The CPU time of all processes, which run at the same time, in seconds."""
    command = [places.swift("signal-bench"), "--pausing", str(threads), "--only", chain]
    command += ["--interval", str(interval), "--events", str(EVENTS[interval])]
    running = [subprocess.Popen(command) for _ in range(processes)]
    total = 0
    for process in running:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"pauses: {' '.join(command)} has ended with {process.returncode}")
        total += used.ru_utime + used.ru_stime
    return total


def main():
    places.build_swift(["signal-bench"])
    missed = 0
    print("CPU time of four threads, relative to four processes of one thread each")
    for interval in EVENTS:
        for chain in ("merge", "map"):
            ratios = [cpu(1, COUNT, chain, interval) / cpu(COUNT, 1, chain, interval) for _ in range(ROUNDS)]
            ratio = statistics.median(ratios)
            missed += ratio > LIMIT
            verdict = "met" if ratio <= LIMIT else "MISSED"
            print(f"{chain}, a pause every {interval} values: {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}), limit {LIMIT:.2f}: {verdict}", flush=True)
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
