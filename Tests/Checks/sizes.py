#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No Swift file has more than 500 lines, and no function more than 60. Lines are counted from `func` to its closing brace."""

import re
import subprocess
import sys

FILE_LIMIT = 500
FUNCTION_LIMIT = 60
ATTRIBUTES = r"(@\S+ )*((public|package|internal|private|fileprivate|static|final|override|mutating|nonisolated|convenience|required) )*"
FUNCTION = re.compile(r"^( *)" + ATTRIBUTES + r"(func|init|deinit|subscript)\b")


def functions(lines):
    """The first line and the length of each function. A function ends at a brace with the same indentation."""
    for first, line in enumerate(lines):
        begin = FUNCTION.match(line)
        if not begin:
            continue
        for last in range(first + 1, len(lines)):
            if lines[last].startswith(begin[1] + "}"):
                yield first + 1, line.strip(), last - first + 1
                break
            if re.match(begin[1] + r"[^ )#}]", lines[last]):
                break  # A requirement of a protocol, or a function on one line.


def failures(name, lines):
    if len(lines) > FILE_LIMIT:
        yield f"{name} has {len(lines)} lines, and {FILE_LIMIT} are allowed"
    for number, line, length in functions(lines):
        if length > FUNCTION_LIMIT:
            yield f"{name}:{number}: {length} lines, and {FUNCTION_LIMIT} are allowed: {line}"


def check_itself():
    """The check detects the mistakes that it must detect."""
    long = ["    func long() {"] + ["        work()"] * FUNCTION_LIMIT + ["    }"]
    found = list(failures("long.swift", long)) + list(failures("file.swift", ["x"] * (FILE_LIMIT + 1)))
    if len(found) != 2 or list(failures("short.swift", long[2:])):
        sys.exit("sizes: the check finds nothing any more")


check_itself()
command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.swift"]
names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
found = []
for name in filter(None, names):
    try:
        with open(name, encoding="utf-8") as file:
            found += failures(name, file.read().splitlines())
    except FileNotFoundError:
        pass  # A deletion that is not committed.
if found:
    sys.exit("\n".join(f"sizes: {failure}" for failure in found))
print("sizes: no file or function is too long")
