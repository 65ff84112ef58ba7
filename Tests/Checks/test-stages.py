#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a stage of .ci/run runs each test, and that each filter of the Makefile selects tests.

The sources name the tests, and `make -n` prints the commands of the stages. A filter of a renamed suite would select nothing, and
nobody would notice.
"""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The conditions of tests, and the part of a command that fulfils each. None: only a measurement runs the test.
CONDITIONS = {
    "YieldPoint.isInLocks": ",Simulation",
    "!YieldPoint.isInLocks": "",
    "Flat.events > 0": "FLAT_EVENTS=",
    "seconds != nil": None,
    # The environment fulfils it. The test prints when it is skipped.
    "EventFaultTests.canOpenHighNumbers": "",
}
TYPE = re.compile(
    r"( *)(?:(?:private|fileprivate|package|public|final|indirect|@\w+(?:\(.*\))?) )*(?:struct|enum|class|actor|extension) ([\w.]+)"
)
FUNCTION = re.compile(r"\bfunc (?:`([^`]+)`|(\w+))")
RUNS_TESTS = re.compile(r"\$\((?:RUN|TSAN|ASAN)_TESTS\)|\$\(SWIFT\) test |copies\.sh")


def targets():
    """The test targets with their folders."""
    text = (ROOT / "Package.swift").read_text()
    found = {name: f"Tests/{name}" for name in re.findall(r'\btests\(\s*"(\w+)"', text)}
    for name, rest in re.findall(r'\.testTarget\(\s*name: "(\w+)"((?:.*\n)*?\s*\))', text):
        path = re.search(r'path: "([^"]+)"', rest)
        found[name] = path[1] if path else f"Tests/{name}"
    return found


def tests(module, folder):
    """The ids of the tests of a target, each with its conditions. Types are found by their indentation."""
    for file in sorted((ROOT / folder).rglob("*.swift")):
        stack, attribute, pending = [], [], False
        for line in file.read_text().splitlines():
            if re.match(r"[^/]*@(Test|Suite)\b", line):
                attribute, pending = [], "@Test" in line
            attribute += re.findall(r"\.enabled\(\s*if: ([^,)]+)", line)
            attribute += re.findall(r"\.disabled\((?:if: )?[^,)]*", line) if pending else []
            if match := TYPE.match(line):
                indent = len(match[1])
                while stack and stack[-1][0] >= indent:
                    stack.pop()
                stack.append((indent, match[2].replace(".", "/"), attribute))
                attribute = []
            elif pending and (match := FUNCTION.search(line)):
                indent = len(line) - len(line.lstrip())
                while stack and stack[-1][0] >= indent:
                    stack.pop()
                path = "/".join([name for _, name, _ in stack] + [f"{match[1] or match[2]}()"])
                yield f"{module}.{path}", [c for _, _, own in stack for c in own] + attribute
                attribute, pending = [], False


def commands(arguments, environment):
    """The commands of a call of make that run tests: each command, with its filters and skips."""
    output = subprocess.run(
        ["make", "-n", "--no-print-directory", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout
    for line in output.splitlines():
        if "copies.sh" in line:
            default = re.search(r'FILTER:-(.*)}"', (ROOT / "Tests/Checks/Copies/copies.sh").read_text())
            yield line, [default[1].replace("\\\\", "\\")], []
        if not re.search(r"\btest --disable-xctest", line):
            continue
        words = shlex.split(line)
        values = {option: [words[i + 1] for i, word in enumerate(words) if word == option] for option in ("--filter", "--skip")}
        yield line, values["--filter"], values["--skip"]


def landing():
    """The commands of .ci/run that run tests, each with the only targets that its build has."""
    limit = None
    step = re.compile(r'^export TARGETS="([^"]*)"|^(?:stage|on_one_loop) "[^"]*" (.+)$', re.M)
    environment = {name: value for name, value in os.environ.items() if name not in ("LOOP", "TARGETS", "TEST_FLAGS", "MAKEFLAGS", "MFLAGS")}
    for names, command in step.findall((ROOT / ".ci/run").read_text()):
        if names:
            limit = names.split()
            continue
        words = shlex.split(command)
        if "make" not in words or "check" in words:
            continue
        added = dict(word.split("=", 1) for word in words[1 : words.index("make")])
        if limit:
            added["TARGETS"] = " ".join(limit)
        for line, filters, skips in commands(words[words.index("make") + 1 :], {**environment, **added}):
            yield limit, line, filters, skips


def main():
    failures = []
    modules = targets()
    all_tests = {test: conditions for module, folder in modules.items() for test, conditions in tests(module, folder)}
    for module in modules:
        if not any(test.startswith(f"{module}.") for test in all_tests):
            failures.append(f"{module}: no test found in {modules[module]}")
    runs = list(landing())
    patterns = {pattern for _, _, filters, skips in runs for pattern in filters + skips}
    makefile = (ROOT / "Makefile").read_text()
    for name, recipe in re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", makefile, re.M):
        if RUNS_TESTS.search(recipe):
            patterns.update(p for _, filters, skips in commands([name], {**os.environ, "MAKEFLAGS": ""}) for p in filters + skips)
    for pattern in sorted(patterns):
        names = re.match(r"\^\(?(\w+(?:\|\w+)*)", pattern)
        if not names or not set(names[1].split("|")) <= set(modules):
            failures.append(f"the filter {pattern} does not begin with ^ and a test target")
        if not any(re.search(pattern, test) for test in all_tests):
            failures.append(f"the filter {pattern} selects no test")
    for test, conditions in all_tests.items():
        unknown = [condition for condition in conditions if condition not in CONDITIONS]
        if unknown:
            failures.append(f"{test}: add the condition {unknown[0]} to {Path(__file__).name}, and a stage that fulfils it")
            continue
        needs = [CONDITIONS[condition] for condition in conditions]
        if None not in needs and not any(
            (limit is None or test.split(".")[0] in limit)
            and all(need in line for need in needs)
            and ("!YieldPoint.isInLocks" not in conditions or ",Simulation" not in line)
            and (not filters or any(re.search(pattern, test) for pattern in filters))
            and not any(re.search(pattern, test) for pattern in skips)
            for limit, line, filters, skips in runs
        ):
            failures.append(f"{test}: no stage of .ci/run runs it")
    print("\n".join(failures) or f"stages: {len(all_tests)} tests, {len(patterns)} filters, {len(runs)} runs")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
