#!/usr/bin/env python3
"""The kill matrix: each mutant against the rules that have to notice it (Docs/Mutants.md)."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
LOOPS = ["dispatch", "libuv"]


def mutants():
    """Names and sentences, by group, in the order of the source."""
    source = open(os.path.join(ROOT, "Sources/ReactiveSupport/Mutant.swift")).read()
    found, group = [], ""
    for mark, sentence, name in re.findall(r"// MARK: (.*)|/// (.*)\n    case (\w+)", source):
        if mark:
            group = mark
        else:
            found.append((name, sentence, group))
    return found


def kills():
    """By name: the loop to ask, if it matters, and the rules."""
    table = {}
    for line in open(os.path.join(ROOT, "Tests/Mutants/kills.txt")):
        name, *words = line.split("#")[0].split() or [""]
        if name:
            loop = next((word[1:] for word in words if word.startswith("@")), None)
            table[name] = (loop, [word for word in words if not word.startswith("@")])
    return table


def check(program, mutant, loop, rules, scale, seed):
    """What came of each rule: its verdict, and how it was seen."""
    environment = dict(os.environ)
    environment.pop("MUTANT", None)
    if mutant:
        environment["MUTANT"] = mutant
    command = [program, "--lines", "--loop", loop, "--rule", ",".join(rules), "--time-scale", str(scale)]
    # The rules have limits of their own; this one is for a program that does not keep to them.
    try:
        done = subprocess.run(
            command + ["--seed", str(seed)], env=environment, capture_output=True, text=True, timeout=300
        )
        output, complaint = done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        output, complaint = (late.stdout or b"").decode(), "the command itself hung"
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


def write_page(path, found, results, unproven, levels, statements):
    lines = [
        "# Mutants",
        "",
        "A rule is worth as much as the mistakes that it notices. Each mutant is one mistake, built into the engine, the",
        "pollers, the sockets or the hops behind a flag (`fault(.name)`, which is `false` in every build but this one); each",
        "is run against the rules that have to notice it. `make mutants` builds them, runs them and writes this page.",
        "",
        f"{len(found)} mutants, {sum(1 for name, _, _ in found if results[name][1])} killed.",
        "",
        "| Mutant | What is wrong with it | Killed by | Not noticed by |",
        "|---|---|---|---|",
    ]
    group = None
    for name, sentence, its in found:
        if its != group:
            lines.append(f"| **{its}** | | | |")
            group = its
        _, killed, missed = results[name]
        lines.append(f"| `{name}` | {sentence} | {' '.join(killed) or '**nothing**'} | {' '.join(missed)} |")
    lines += ["", "## Rules that no mutant breaks", ""]
    for rule in unproven:
        lines.append(f"- {rule} ({levels[rule]}): {statements[rule]}")
    if not unproven:
        lines.append("None.")
    with open(path, "w") as page:
        page.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", help="these mutants, with commas between")
    parser.add_argument("--part", help="K/N: the K-th of N parts")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--scale", type=float, default=0.5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--page")
    options = parser.parse_args()

    found, table = mutants(), kills()
    names = [name for name, _, _ in found]
    if set(names) != set(table):
        sys.exit(f"mutants.py: kills.txt and Mutant.swift differ: {sorted(set(names) ^ set(table))}")
    command = [options.program, "--long", "--list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    book = [line.split("\t") for line in listed.splitlines()]
    levels = {rule: level for rule, level, _ in book}
    statements = {rule: statement for rule, _, statement in book}

    # A build without libuv has one loop less.
    loops = [
        loop
        for loop in LOOPS
        if subprocess.run([options.program, "--loop", loop, "--list"], capture_output=True).returncode == 0
    ]
    chosen = found
    if options.only:
        chosen = [it for it in found if it[0] in options.only.split(",")]
    if options.part:
        part, parts = map(int, options.part.split("/"))
        chosen = [it for index, it in enumerate(found) if index % parts == part % parts]
    print(f"{len(chosen)} of {len(found)} mutants, seed {options.seed}", flush=True)
    loop_of = {name: table[name][0] or loops[index % len(loops)] for index, name in enumerate(names)}

    start = time.monotonic()
    failures = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        # Without a mutant every rule has to hold, or its failing would say nothing.
        sound = {}
        for loop in sorted({loop_of[name] for name, _, _ in chosen}):
            rules = {rule for name, _, _ in chosen if loop_of[name] == loop for rule in table[name][1]}
            sound[loop] = [rule for rule in levels if rule in rules]
        runs = [(loop, rule) for loop, rules in sound.items() for rule in rules]

        def check_sound(run):
            loop, rule = run
            # What the machine was too busy for is asked again.
            for _ in range(3):
                outcome = check(options.program, None, loop, [rule], options.scale, options.seed)[rule]
                if outcome[0] == "passed":
                    break
            return outcome

        checked = pool.map(check_sound, runs)
        unsound = set()
        for (loop, rule), (verdict, seen) in zip(runs, checked):
            if verdict != "passed":
                unsound.add((loop, rule))
                print(f"{rule} on {loop} without a mutant: {verdict}: {seen}", flush=True)

        def run(name):
            loop, rules = loop_of[name], table[name][1]
            usable = [rule for rule in rules if (loop, rule) not in unsound]
            # Where it takes two threads to notice, a busy machine may keep one of them away: it is tried again.
            for _ in range(3):
                verdicts = check(options.program, name, loop, rules, options.scale, options.seed)
                killed = [rule for rule in usable if verdicts[rule][0] in ("failed", "missing")]
                if killed:
                    break
            return name, loop, killed, [rule for rule in rules if rule not in killed], verdicts

        results = {}
        for name, loop, killed, missed, verdicts in pool.map(run, [name for name, _, _ in chosen]):
            results[name] = (loop, killed, missed)
            mark = "killed by " + " ".join(killed) if killed else "SURVIVES"
            rest = f"; not noticed by {' '.join(missed)}" if missed else ""
            print(f"{name:26} {loop:9} {mark}{rest}", flush=True)
            for rule in killed:
                print(f"{'':36} {rule}: {verdicts[rule][1][:160]}", flush=True)
            if not killed:
                failures.append(name)

    proven = {rule for _, killed, _ in results.values() for rule in killed}
    unproven = [rule for rule in levels if rule not in proven]
    minutes = (time.monotonic() - start) / 60
    print(f"\n{len(results) - len(failures)} of {len(results)} killed in {minutes:.1f} minutes")
    if failures:
        print("survivors: " + " ".join(failures))
    if len(chosen) == len(found):
        print("unproven: " + (" ".join(f"{rule} ({levels[rule]})" for rule in unproven) or "no rule"))
        if options.page:
            write_page(options.page, found, results, unproven, levels, statements)
    required = len(chosen) == len(found) and any(levels[rule] == "required" for rule in unproven)
    sys.exit(1 if failures or required else 0)


main()
