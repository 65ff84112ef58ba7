#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the copy of the package that `make traces` builds, in which threads pause at random at atomics.

Threads interact through atomics, and through locks, which are atomics of ReactiveSupport. Every access of an atomic becomes an argument
of `interleaved(…)`, which pauses before and after it (Support/ReactiveSupport/Interleaving.swift). A window of some nanoseconds then
stays open for up to two milliseconds. The copy also contains the reverted fixes of regressions.toml, each behind a switch, through the
scripts of Tests/Mutants.
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
# The modules contain a few more today. Fewer means that the sources write accesses in a form that this script does not find.
FEWEST = 60
OPERATIONS = "load store exchange compareExchange weakCompareExchange add subtract wrappingAdd wrappingSubtract"
OPERATIONS += " bitwiseAnd bitwiseOr bitwiseXor logicalAnd logicalOr logicalXor min max"
CALL = re.compile(r"(?<![\w.$?)\]}])[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)*\.(?:%s)\(" % OPERATIONS.replace(" ", "|"))
ORDERING = re.compile(r"\b(?:o|successO|failureO)rdering: *\.")
# A string literal or a comment, whose contents are no code.
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
    print(f"interleaving: pauses at {count} accesses of atomics; {len(regressions)} fixes can be reverted")
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
    """Returns the text of a file with its accesses wrapped in `interleaved(…)`, and the number of accesses."""
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
            failures.append(f"Sources/{path}:{line}: the access of an atomic is part of {holders} calls that the script found, instead of one")
    for start, end in reversed(spans):
        text = f"{text[:start]}interleaved({text[start:end]}){text[end:]}"
    return text, len(spans)


def closing(code, index):
    """Returns the index after the parenthesis that closes the one before `index`."""
    depth = 1
    while index < len(code):
        depth += {"(": 1, ")": -1}.get(code[index], 0)
        index += 1
        if depth == 0:
            return index
    return None


main()
