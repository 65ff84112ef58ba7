#!/usr/bin/env python3
"""Writes the copy of the package that `make traces` builds: threads pause at random where they meet.

Two threads meet at atomics, and at locks, which are atomics of ReactiveSupport. Every access of an atomic becomes an argument of
`interleaved(…)`, which pauses before and after it (Support/ReactiveSupport/Interleaving.swift). A window of some nanoseconds then stays
open for up to two milliseconds. The copy also has the fixes of regressions.toml behind a switch, by the machinery of Tests/Mutants.
"""

import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../../Mutants"))

import apply
import catalogue

MODULES = ["ReactiveSupport", "SchedulerEngine", "SchedulerDispatch", "SchedulerLibuv", "SchedulerLibevent"]
SUPPORT = (apply.SUPPORT, os.path.join(FOLDER, "Support"))
# What the modules have today is a few more. Fewer means that the sources do it in a way which this script does not know.
FEWEST = 60
OPERATIONS = "load store exchange compareExchange weakCompareExchange add subtract wrappingAdd wrappingSubtract"
OPERATIONS += " bitwiseAnd bitwiseOr bitwiseXor logicalAnd logicalOr logicalXor min max"
CALL = re.compile(r"(?<![\w.$?)\]}])[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)*\.(?:%s)\(" % OPERATIONS.replace(" ", "|"))
ORDERING = re.compile(r"\b(?:o|successO|failureO)rdering: *\.")
# A text in quotes or a comment, whose contents are no code.
OPAQUE = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--check", action="store_true", help="check that everything applies; builds nothing")
    task.add_argument("--copy", metavar="FOLDER", help="write the copy")
    options = parser.parse_args()
    try:
        regressions = catalogue.load(FOLDER)
    except catalogue.Invalid as error:
        sys.exit(f"interleaving: {error}")
    files, failures = apply.mutate(regressions)
    failures += catalogue.problems(regressions)
    count = interleave(files, failures)
    if options.check and not failures:
        failures = apply.check(regressions, files, SUPPORT)
    if failures:
        sys.exit("\n".join(f"interleaving: {failure}" for failure in failures))
    print(f"interleaving: pauses at {count} accesses of atomics; {len(regressions)} fixes can be taken back")
    if options.copy:
        apply.write_copy(options.copy, regressions, files, SUPPORT)


def interleave(files, failures):
    """Rewrites the modules' files into `files`, by path relative to Sources. Returns the number of accesses."""
    sources = os.path.join(catalogue.ROOT, "Sources")
    total = 0
    for module in MODULES:
        for folder, _, names in os.walk(os.path.join(sources, module)):
            for name in sorted(name for name in names if name.endswith(".swift")):
                path = os.path.relpath(os.path.join(folder, name), sources)
                if path not in files:
                    with open(os.path.join(folder, name)) as file:
                        text = file.read()
                else:
                    text = files[path]
                new, count = rewritten(path, text, failures)
                if count:
                    files[path] = apply.with_import(path, new)
                    total += count
    if total < FEWEST:
        failures.append(f"{total} accesses of atomics were found, and at least {FEWEST} are expected")
    return total


def rewritten(path, text, failures):
    """The text of a file with its accesses in `interleaved(…)`, and their number."""
    code = OPAQUE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    spans = []
    for call in CALL.finditer(code):
        end = closing(code, call.end())
        if end and ORDERING.search(code, call.end(), end):
            spans.append((call.start(), end))
    for ordering in ORDERING.finditer(code):
        holders = sum(1 for start, end in spans if start < ordering.start() < end)
        if holders != 1:
            line = code.count("\n", 0, ordering.start()) + 1
            failures.append(f"Sources/{path}:{line}: the access of an atomic is in {holders} calls that could be found")
    for start, end in reversed(spans):
        text = f"{text[:start]}interleaved({text[start:end]}){text[end:]}"
    return text, len(spans)


def closing(code, index):
    """Where the parenthesis closes that was opened in front of `index`."""
    depth = 1
    while index < len(code):
        depth += {"(": 1, ")": -1}.get(code[index], 0)
        index += 1
        if depth == 0:
            return index
    return None


main()
