#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds `@inlinable` members that other modules do not specialise.

Swift 6.3.1 specialises such a member of a generic type or of a protocol in another module only if the type is public or
`@usableFromInline`. Otherwise each call looks up generic metadata: a message of a WebSocket took 79 % more instructions.
"""
import pathlib
import re
import subprocess
import sys

DECLARATION = re.compile(
    r" *(?P<attributes>(?:@\w+(?:\([^)]*\))? +)*)(?:(?P<access>public|package|internal|private|fileprivate) +)?"
    r"(?:(?:final|indirect) +)*(?P<kind>struct|class|enum|protocol|extension) +(?P<name>\w+)(?P<generic><)?"
)


def scan(lines):
    """Returns the generic types and protocols with `package` but without `@usableFromInline`, and (line, type) of each inlinable member."""
    hidden, members, around = set(), [], []
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip())
        if line.strip() and not line.lstrip().startswith("//"):
            while around and around[-1][0] >= indent and line.lstrip()[0] not in "})":
                around.pop()
        if found := DECLARATION.match(line):
            attributes = found["attributes"]
            for before in reversed(lines[: number - 1]):
                if not before.lstrip().startswith("@"):
                    break
                attributes += before
            is_seen = found["access"] == "public" or "@usableFromInline" in attributes
            if found["access"] == "package" and not is_seen and (found["generic"] or found["kind"] == "protocol"):
                hidden.add(found["name"])
            around.append((indent, found["name"]))
        elif line.lstrip().startswith("@inlinable") and around:
            members.append((number, around[-1][1]))
    return hidden, members


def check_itself():
    """The check detects the mistakes that it must detect."""
    hidden = "package struct Box<Value> {\n    @inlinable\n    package var value: Int { 0 }\n}\n"
    samples = {hidden: True, f"@usableFromInline\n{hidden}": False, hidden.replace("<Value>", ""): False}
    for text, is_wrong in samples.items():
        names, members = scan(text.split("\n"))
        if any(name in names for _, name in members) != is_wrong:
            sys.exit(f"inlinable: the check is wrong about:\n{text}")


def main():
    check_itself()
    paths = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "Sources/*.swift"], capture_output=True, text=True, check=True)
    files = {path: scan(pathlib.Path(path).read_text(encoding="utf-8").split("\n")) for path in paths.stdout.split()}
    hidden = set().union(*(names for names, _ in files.values()))
    found = [(path, number, name) for path, (_, members) in files.items() for number, name in members if name in hidden]
    for path, number, name in found:
        print(f"{path}:{number}: other modules do not specialise this member: make {name} @usableFromInline, or remove @inlinable", file=sys.stderr)
    if not found:
        print(f"inlinable: {sum(len(members) for _, members in files.values())} members in order")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
