#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A test reads the sentence of each misuse of the API: of each `require` and `trap` under Sources.

A string of a test must contain the sentence with any text in the place of each interpolation. A broken invariant is not a
misuse: see Sources/ReactiveSupport/Trapping/Trap.swift.
"""

import pathlib
import re
import sys

CALL = re.compile(r"(?<!func )\b(require|trap)\(")
FEWEST_LETTERS = 20  # Without the interpolations. A test of a shorter sentence could be any other string.


def end_of_call(text, start):
    """The end of the arguments that begin at `start`. Parentheses in strings do not count."""
    depth = 1
    for token in re.finditer(r'"(?:\\\([^"]*?\)|\\.|[^"\\])*"|[()]', text[start:]):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return start + token.start()
    sys.exit("misuses: a call without an end")


def sentence_of(arguments):
    """The string literal at the end of a call, or nil."""
    literal = re.search(r'"((?:\\.|[^"\\])*)"\s*$', arguments)
    return literal and literal[1]


def constants_of(sentence):
    """The parts of a sentence between its interpolations."""
    parts, start = [], 0
    while (begin := sentence.find("\\(", start)) >= 0:
        parts.append(sentence[start:begin])
        depth, start = 1, begin + 2
        while depth:
            depth += {"(": 1, ")": -1}.get(sentence[start], 0)
            start += 1
    return parts + [sentence[start:]]


def failures(name, text, tests):
    for call in CALL.finditer(text):
        place = f"{name}:{text.count(chr(10), 0, call.start()) + 1}"
        if text[text.rfind("\n", 0, call.start()) + 1 :].lstrip().startswith("//"):
            continue
        sentence = sentence_of(text[call.end() : end_of_call(text, call.end())])
        if sentence is None:
            yield f"{place}: {call[1]} needs its sentence as one string literal"
            continue
        constants = constants_of(sentence)
        if sum(len(re.sub(r"\W", "", part)) for part in constants) < FEWEST_LETTERS:
            yield f"{place}: the sentence is too short to be tested: {sentence}"
        elif not re.search(r'(?:[^"\n]|\\")*?'.join(map(re.escape, constants)), tests):
            yield f"{place}: no test reads the sentence: {sentence}"


def check_itself():
    """The check detects the mistakes that it must detect."""
    tests = 'contains("a port of -1 is not allowed: use 0 or more")'
    good = 'require(port >= 0, "a port of \\(text(port)) is not allowed: use 0 or more")'
    bad = ['trap("a port of \\(port) is not allowed: use 1 or more")', 'trap("\\(error)")', "trap(message)"]
    if list(failures("good.swift", good, tests)) or any(not list(failures("bad.swift", text, tests)) for text in bad):
        sys.exit("misuses: the check finds nothing any more")


def swift(folder):
    return sorted(path for path in pathlib.Path(folder).rglob("*.swift") if ".build" not in path.parts)


check_itself()
tests = "\n".join(path.read_text(encoding="utf-8") for path in swift("Tests"))
sources = [path for path in swift("Sources") if path.name != "Trap.swift"]
found = [failure for path in sources for failure in failures(path, path.read_text(encoding="utf-8"), tests)]
if found:
    print("\n".join(f"misuses: {failure}" for failure in found), file=sys.stderr)
    sys.exit(1)
print("misuses: a test reads the sentence of each misuse")
