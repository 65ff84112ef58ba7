# SPDX-License-Identifier: MIT
"""Runs mutants on the loop `simulated` alone, with one seed after the other until a rule detects the mutant."""

import concurrent.futures
import statistics
import threading

LOOP = "simulated"
# Every second seed also stops threads at locks, if the program is built with the trait Simulation.
STOPS = [{}, {"CONFORMANCE_INTERLEAVING": "0.002"}]
# Mutants in code that runs only on the real system. A simulated machine has its own code in its place.
REAL_ONLY = {
    "acceptedIsInherited": "system calls of sockets",
    "boundIsStale": "files of Unix sockets",
    "clockGoesBack": "the system's clock",
    "clockIsAnother": "the system's clock",
    "clockIsCoarse": "the system's clock",
    "endTakesByte": "system calls of sockets",
    "pipeSignal": "system calls of sockets",
    "replacesWithoutLooking": "files of Unix sockets",
    "wouldBlockIsFailure": "system calls of sockets",
}


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
        if mutant.name in REAL_ONLY:
            return mutant, None, f"only the real system runs this code: {REAL_ONLY[mutant.name]}"
        if mutant.loop not in (None, LOOP):
            return mutant, None, f"only {mutant.loop} runs this code"
        rules = list(mutant.rules)
        for seed in range(seeds):
            its = program.check(mutant.name, LOOP, rules, 0, seed, STOPS[seed % 2])
            rules = [rule for rule in rules if its[rule][0] != "skipped"]
            if not rules:
                return mutant, None, f"{its[mutant.rules[0]][1]}"
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
