# SPDX-License-Identifier: MIT
"""Runs mutants on the loop `simulated` alone, with one seed after the other until a rule detects the mutant."""

import concurrent.futures
import statistics
import threading

LOOP = "simulated"
# Every second seed also stops threads at locks, if the program is built with the trait Simulation.
STOPS = [{}, {"CONFORMANCE_INTERLEAVING": "0.05"}]


class Soundness:
    """Remembers which rules hold without a mutant. A rule that fails with a seed anyway proves nothing."""

    def __init__(self, program):
        self.program, self.known, self.lock = program, {}, threading.Lock()

    def holds(self, rule, seed):
        with self.lock:
            if (rule, seed) in self.known:
                return self.known[rule, seed]
        outcome = self.program.check(None, LOOP, [rule], 0, seed, STOPS[seed % 2])[rule][0]
        with self.lock:
            self.known[rule, seed] = outcome == "passed"
        return outcome == "passed"


def run(program, mutants, seeds):
    """Prints the result of each mutant, the share that is detected, and the median seed. Returns the exit code."""
    sound = Soundness(program)

    def detect(mutant):
        rules = [rule for rule in mutant.rules if mutant.loop in (None, LOOP)]
        for seed in range(seeds):
            its = program.check(mutant.name, LOOP, rules, 0, seed, STOPS[seed % 2]) if rules else {}
            rules = [rule for rule in rules if its[rule][0] != "skipped"]
            if not rules:
                return mutant, None, "no rule of it applies"
            for rule in rules:
                if its[rule][0] in ("failed", "missing") and sound.holds(rule, seed):
                    return mutant, seed + 1, f"{rule}: {its[rule][1][:160]}"
        return mutant, 0, "SURVIVES " + " ".join(rules)

    found, survivors, others = [], [], []
    with concurrent.futures.ThreadPoolExecutor(program.jobs) as pool:
        for mutant, seed, text in pool.map(detect, mutants):
            print(f"{mutant.name:26} {'-' if seed is None else seed:>5} {text}", flush=True)
            if seed is None:
                others.append(mutant.name)
            elif seed:
                found.append(seed)
            else:
                survivors.append(mutant.name)
    count = len(found) + len(survivors)
    print(f"\n{len(found)} of {count} mutants are detected within {seeds} seeds; {len(others)} do not apply")
    if found:
        print(f"the median seed is number {statistics.median_low(found)}, the last one number {max(found)}")
    if survivors:
        print("survivors: " + " ".join(survivors))
    return 0 if len(found) >= 0.95 * count else 1
