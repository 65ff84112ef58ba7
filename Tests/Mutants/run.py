# SPDX-License-Identifier: MIT
"""Runs the conformance program with and without mutants."""

import concurrent.futures
import os
import subprocess
import zlib

LOOPS = ["dispatch", "libuv"]
ATTEMPTS = 3


def unknown(path, mutants):
    """Returns the mutants that a program does not contain. It would crash for them, which would count as killed."""
    with open(path, "rb") as file:
        content = file.read()
    return [mutant.name for mutant in mutants if b"\0" + mutant.name.encode() + b"\0" not in content]


class Program:
    """The conformance program, built from the copy that contains the mutants."""

    def __init__(self, path, scale, seed, jobs):
        self.path, self.scale, self.seed, self.jobs = path, scale, seed, jobs
        listed = subprocess.run([path, "--long", "--list"], capture_output=True, text=True, check=True).stdout
        book = [line.split("\t") for line in listed.splitlines()]
        self.levels = {rule: level for rule, level, _ in book}
        self.statements = {rule: statement for rule, _, statement in book}
        # A build without libuv has one loop fewer.
        self.loops = [
            loop
            for loop in LOOPS
            if subprocess.run([path, "--loop", loop, "--list"], capture_output=True).returncode == 0
        ]

    def loop_of(self, mutant):
        """Returns the loop for a mutant: its own choice, or one that depends only on its name."""
        return mutant.loop or self.loops[zlib.crc32(mutant.name.encode()) % len(self.loops)]

    def check(self, name, loop, rules, attempt=0, seed=None, variables={}):
        """Returns the verdict of each rule with its observation. `name` is the enabled mutant, or None.

        Each attempt has twice the time of the previous one, for busy machines.
        """
        environment = {key: value for key, value in os.environ.items() if key != "MUTANT"} | variables
        if name:
            environment["MUTANT"] = name
        command = [self.path, "--lines", "--loop", loop, "--rule", ",".join(rules)]
        command += ["--time-scale", str(self.scale * 2**attempt), "--seed", str(self.seed if seed is None else seed)]
        # Each rule has its own time limit. This one is for mutants that break the runner of the rules.
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
            output, complaint = done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            output, complaint = (late.stdout or b"").decode(), "the program did not end within 300 s"
        verdicts, rule, verdict, seen = {}, None, None, ""
        for line in output.splitlines():
            key, _, value = line.partition(":")
            if key == "rule":
                rule, verdict, seen = value, None, ""
            elif key == "verdict":
                verdict = value
            elif key in ("seen", "reason"):
                seen = value
            elif key == "end":
                verdicts[rule] = (verdict, seen)
        for rule in rules:
            verdicts.setdefault(rule, ("missing", complaint.strip()[-300:]))
        return verdicts


def attempts(program, mutants):
    """Maps loop and rule to the attempt in which the rule held without a mutant. A rule that never held proves nothing.

    Also returns the loops and rules that this build skips.
    """
    runs = sorted({(program.loop_of(mutant), rule) for mutant in mutants for rule in mutant.rules})

    def first(run):
        loop, rule = run
        for attempt in range(ATTEMPTS):
            outcome = program.check(None, loop, [rule], attempt)[rule]
            if outcome[0] in ("passed", "skipped"):
                break
        return attempt, outcome

    found, absent = {}, set()
    with concurrent.futures.ThreadPoolExecutor(program.jobs) as pool:
        for run, (attempt, (outcome, seen)) in zip(runs, pool.map(first, runs)):
            if outcome == "passed":
                found[run] = attempt
            else:
                if outcome == "skipped" and "this build does not have the trait" in seen:
                    absent.add(run)
                print(f"{run[1]} on {run[0]} without a mutant: {outcome}: {seen}", flush=True)
    return found, absent


def run(program, mutants):
    """Maps the name of each mutant to the rules that detect it and those that do not. Prints each result."""
    missing = unknown(program.path, mutants)
    if missing:
        raise SystemExit(f"mutants: {program.path} does not contain {', '.join(missing)}: build it with `make mutants`")
    sound, absent = attempts(program, mutants)
    # A build without TLS does not contain the code of the mutants of TLS.
    for mutant in [m for m in mutants if all((program.loop_of(m), rule) in absent for rule in m.rules)]:
        print(f"{mutant.name:26} not in this build", flush=True)
        mutants = [other for other in mutants if other is not mutant]

    def verdicts(mutant):
        loop = program.loop_of(mutant)
        usable = [rule for rule in mutant.rules if (loop, rule) in sound]
        slowest = max((sound[loop, rule] for rule in usable), default=0)
        # Only a race detects some mutants, and a busy machine may prevent the race.
        for _ in range(ATTEMPTS):
            its = program.check(mutant.name, loop, mutant.rules, slowest)
            killed = [rule for rule in usable if its[rule][0] in ("failed", "missing")]
            if killed:
                break
        return mutant, loop, killed, its

    results = {}
    with concurrent.futures.ThreadPoolExecutor(program.jobs) as pool:
        for mutant, loop, killed, its in pool.map(verdicts, mutants):
            missed = [rule for rule in mutant.rules if rule not in killed]
            results[mutant.name] = (killed, missed)
            mark = "killed by " + " ".join(killed) if killed else "SURVIVES"
            rest = f"; not detected by {' '.join(missed)}" if missed else ""
            print(f"{mutant.name:26} {loop:9} {mark}{rest}", flush=True)
            for rule in killed:
                print(f"{'':36} {rule}: {its[rule][1][:160]}", flush=True)
    return results
