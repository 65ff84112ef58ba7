#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each source file names its licence: `// SPDX-License-Identifier: MIT`, or `# …`, is its first line, or the second one after
`#!` or `// swift-tools-version`. Manifests that users copy have none. With `--fix`, inserts the line. Arguments
name the only files to check."""

import subprocess
import sys
from pathlib import Path

IDENTIFIER = "SPDX-License-Identifier: MIT"
COMMENTS = {".swift": "//", ".c": "//", ".h": "//", ".py": "#", ".sh": "#"}
# Lines that a tool reads only if they are first.
FIRST = ("#!", "// swift-tools-version")
# Manifests that users copy, and that the docs print.
COPIED = "Tests/Checks/Consumer/"


def header(name):
    return f"{COMMENTS[Path(name).suffix]} {IDENTIFIER}"


def position(lines):
    """The index at which the line must be."""
    return 1 if lines and lines[0].startswith(FIRST) else 0


def has_header(name, lines):
    index = position(lines)
    return lines[index : index + 1] == [header(name)]


def insert(name, text):
    lines = text.split("\n")
    lines.insert(position(lines), header(name))
    return "\n".join(lines)


def check_itself():
    """The check detects the mistakes that it must detect."""
    samples = {
        "a.swift": "#if NATS\nimport CLibuv\n",
        "Package.swift": "// swift-tools-version: 6.2\nimport PackageDescription\n",
        "a.py": '#!/usr/bin/env python3\n"""A comment."""\n',
        "a.h": "// A comment.\n#pragma once\n",
        "a.sh": "",
    }
    for name, text in samples.items():
        fixed = insert(name, text)
        kept = not position(text.split("\n")) or fixed.split("\n")[0] == text.split("\n")[0]
        if has_header(name, text.split("\n")) or not has_header(name, fixed.split("\n")) or not kept:
            sys.exit(f"licence: the check finds nothing any more: {name}")


check_itself()
arguments = [argument for argument in sys.argv[1:] if argument != "--fix"]
command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *(f"*{suffix}" for suffix in COMMENTS)]
listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
missing = []
for name in arguments or sorted(filter(None, listed)):
    path = Path(name)
    if not path.is_file() or path.is_symlink() or name.startswith(COPIED):
        continue  # A deletion that is not committed, or a link to a file that is checked itself.
    text = path.read_text(encoding="utf-8")
    if has_header(name, text.split("\n")):
        continue
    missing.append(name)
    if "--fix" in sys.argv:
        path.write_text(insert(name, text), encoding="utf-8")
if "--fix" in sys.argv:
    print(f"licence: inserted the line in {len(missing)} files")
elif missing:
    shown = [f"licence: {name} does not begin with '{header(name)}'" for name in missing[:20]]
    sys.exit("\n".join([*shown, f"licence: {len(missing)} files lack the line; Tests/Checks/licence.py --fix inserts it"]))
else:
    print("licence: each source file names it")
