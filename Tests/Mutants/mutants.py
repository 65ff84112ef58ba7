#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Applies the mutants of this folder to a copy of the package, and runs each against its rules or suites (README.md)."""

import argparse
import glob
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import apply
import catalogue
import page
import run
import simulated
import suites


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--check", action="store_true", help="check that every mutant applies; builds nothing")
    task.add_argument("--copy", metavar="FOLDER", help="write a copy of the package with all mutants")
    task.add_argument("--targets", action="store_true", help="print the targets that the chosen mutants need")
    task.add_argument("--run", metavar="FOLDER", help="run the mutants with the programs in this folder, built from the copy")
    parser.add_argument("--only", help="run these mutants only; commas between names")
    parser.add_argument("--part", help="K/N: run the K-th of N parts only; commit/N: the commit selects it")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--scale", type=float, default=0.5, help="a factor for the upper time limits of the rules")
    parser.add_argument("--jobs", type=int, default=2, help="how many mutants run at the same time")
    parser.add_argument("--simulated", type=int, metavar="SEEDS", help="run on the loop `simulated` alone, with so many seeds")
    parser.add_argument("--page", help="the page to write after a run of all mutants")
    options = parser.parse_args()
    try:
        mutants = catalogue.load()
    except catalogue.Invalid as error:
        sys.exit(f"mutants: {error}")
    files, failures = apply.mutate(mutants)
    failures = catalogue.problems(mutants) + failures
    if options.check and not failures:
        failures = apply.check(mutants, files)
    if failures:
        sys.exit("\n".join(f"mutants: {failure}" for failure in failures))
    if options.check:
        print(f"mutants: {len(mutants)} apply, in {len(files)} files")
    elif options.copy:
        apply.write_copy(options.copy, mutants, files)
    elif options.targets:
        print(" ".join(sorted(targets(choose(mutants, options)))))
    else:
        sys.exit(run_all(mutants, options))


def targets(mutants):
    names = {suite.split(".")[0] for mutant in mutants for suite in mutant.suites}
    return names | ({"ConformanceProgram"} if any(mutant.rules for mutant in mutants) else set())


def run_all(mutants, options):
    chosen = choose(mutants, options)
    of_rules, of_suites = [m for m in chosen if m.rules], [m for m in chosen if m.suites]
    program = None
    if options.simulated and not of_rules:
        sys.exit("mutants: only mutants with rules run on the loop `simulated`")
    if of_rules:
        jobs = (1 if options.simulated else options.seed, options.jobs)
        program = run.Program(os.path.join(options.run, "ConformanceProgram"), options.scale, *jobs)
    if options.simulated:
        return simulated.run(program, of_rules, options.simulated)
    print(f"{len(chosen)} of {len(mutants)} mutants, seed {options.seed}", flush=True)
    start = time.monotonic()
    results = run.run(program, of_rules) if of_rules else {}
    kinds = {}
    if of_suites:
        found = glob.glob(os.path.join(options.run, "*PackageTests.xctest"))
        if len(found) != 1:
            sys.exit(f"mutants: {options.run} contains {len(found)} test programs instead of one: build it with `make mutants`")
        outcomes = suites.run_all(suites.Program(found[0], options.jobs), of_suites)
        for mutant in of_suites:
            outcome = outcomes[mutant.name]
            results[mutant.name] = (suites.detecting(mutant, outcome), [])
            kinds.setdefault(outcome.kind if outcome else "not run", []).append(mutant.name)
    survivors = [name for name, (killed, _) in results.items() if not killed]
    minutes = (time.monotonic() - start) / 60
    print(f"\n{len(results) - len(survivors)} of {len(results)} killed in {minutes:.1f} minutes")
    if of_suites:
        counts = ", ".join(f"{len(kinds.get(kind, []))} {text}" for kind, text in suites.KINDS.items())
        print(f"mutants of suites: {counts}")
    if survivors:
        print("survivors: " + " ".join(survivors))
    if len(results) < len(mutants):
        return 1 if survivors else 0
    proven = {rule for killed, _ in results.values() for rule in killed}
    unproven = [rule for rule in program.levels if rule not in proven]
    print("unproven: " + (" ".join(f"{rule} ({program.levels[rule]})" for rule in unproven) or "no rule"))
    if options.page:
        page.write(options.page, mutants, results, unproven, program)
    return 1 if survivors or any(program.levels[rule] == "required" for rule in unproven) else 0


def choose(mutants, options):
    if options.only:
        names = options.only.split(",")
        unknown = set(names) - {mutant.name for mutant in mutants}
        if unknown:
            sys.exit(f"mutants: no mutant is named {', '.join(sorted(unknown))}")
        return [mutant for mutant in mutants if mutant.name in names]
    if options.part:
        part, parts = options.part.split("/")
        if part == "commit":
            command = ["git", "rev-parse", "HEAD"]
            part = int(subprocess.run(command, cwd=catalogue.ROOT, capture_output=True, text=True, check=True).stdout[:8], 16)
        # Neighbours are of the same file, so a part needs the tests of one or two modules.
        part, parts = int(part) % int(parts), int(parts)
        return mutants[len(mutants) * part // parts : len(mutants) * (part + 1) // parts]
    return mutants


main()
