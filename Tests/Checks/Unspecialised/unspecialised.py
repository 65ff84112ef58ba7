#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls each operator from another package, in code that the compiler cannot specialise, and compares the values.

The calls are the cases of ListTests and the pictures of MarblePictures, in which type parameters replace the types, and the calls
in Rest.swift. The release build of the library is called by one program without and by one with optimisation.

    unspecialised.py --write   write the package into .build/unspecialised
    unspecialised.py --run     run its programs
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / ".build/unspecialised"
PROGRAMS = ROOT / "Examples/.build/release"
# The traits are those of the examples, with whose scratch path it is built: no module is compiled twice.
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

func program(_ name: String, _ settings: [SwiftSetting]) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["ReactiveCore", "ReactiveSignals", "ReactiveCommands", "ReactiveTesting"].map {
            .product(name: $0, package: "swift-reactive")
        },
        swiftSettings: settings
    )
}

let package = Package(
    name: "unspecialised",
    dependencies: [
        .package(
            name: "swift-reactive",
            path: "../..",
            traits: ["Logging", "Libuv", "Libevent", "NATS", "TLS", "HTTP"]
        )
    ],
    targets: [program("UnspecialisedDebug", [.unsafeFlags(["-Onone"])]), program("UnspecialisedRelease", [])]
)
"""
# `interval` sends no other type than Int.
INT = r"Int(?!, Never>\.interval\()"
# The lists: their type, their files, and the type parameters of the client that replace their types.
LISTS = {
    "Picture": ("Tests/MarblePictures/Pictures/*.swift", {"String": "Letter", INT: "Number", "Trouble": "Failure"}),
    "OperatorCase": ("Tests/ReactiveSignalsTests/Support/OperatorCase+*.swift", {INT: "Number", "TestError": "Failure"}),
}
# A list of one type, up to the next member or to the end of the extension.
LIST = r"^    (?:package )?(private )?static let (\w+) =(.*?)(?=\n\n    \S|\n\}\n)"


def generic(text, kind, types):
    """A file of a list in a generic type, which has no stored static properties, and the names of its lists."""
    names = [name for private, name, _ in re.findall(LIST, text, re.M | re.S) if not private]
    text = re.sub(LIST, rf"    static var \2: [{kind}] {{\3 }}", text, flags=re.M | re.S)
    # The second argument of a case says from which laws it deviates.
    text = re.sub(r'(OperatorCase\("[^"]*"), \[[^]]*\]', r"\1", text)
    for concrete, parameter in types.items():
        text = re.sub(rf"\b{concrete}\b", parameter, text)
    return text, names


def sources():
    """The names and texts of the client's files."""
    for file in Path(__file__).parent.glob("*.swift"):
        yield file.name, file.read_text()
    for kind, (pattern, types) in LISTS.items():
        lists = []
        for file in sorted(ROOT.glob(pattern)):
            text, names = generic(file.read_text(), kind, types)
            lists += names
            yield file.name, text
        if not lists:
            sys.exit(f"unspecialised: no file {pattern} has a list")
        yield kind + "+All.swift", f"extension {kind} {{\n    static var all: [{kind}] {{ {' + '.join(lists)} }}\n}}\n"


def write():
    files = {PACKAGE / "Package.swift": MANIFEST}
    for name, text in sources():
        for program in ["UnspecialisedDebug", "UnspecialisedRelease"]:
            files[PACKAGE / "Sources" / program / name] = text
    for old in set(PACKAGE.glob("Sources/*/*.swift")) - set(files):
        old.unlink()
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        # An equal file keeps its date, so that nothing is compiled again.
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


def run():
    for program in ["UnspecialisedDebug", "UnspecialisedRelease"]:
        result = subprocess.run(["timeout", "300", PROGRAMS / program], stdout=subprocess.PIPE, text=True)
        lines = result.stdout.splitlines()
        if result.returncode:
            # A failed comparison has two indented lines. After a trap, the last line names the call.
            failed = [line for line, after in zip(lines, lines[1:] + ["  "]) if after.startswith("  ") or line.startswith("  ")]
            sys.exit("\n".join(failed) + f"\nunspecialised: {program} has ended with {result.returncode}")
        print(f"{program}: {lines[-1]}")


{"--write": write, "--run": run}[sys.argv[1]]()
