# SPDX-License-Identifier: MIT
"""Applies the mutants to a copy of the package."""

import functools
import os
import re
import shutil
import subprocess
import tempfile

import symbols
from catalogue import FOLDER, ROOT

SUPPORT = os.path.join(FOLDER, "Support")
WARNINGS = (".treatAllWarnings(as: .error)", ".treatAllWarnings(as: .warning)")


def mutate(mutants):
    """Returns the edited files, by path relative to Sources, and one sentence for each edit that does not apply.

    Every anchor is searched in the unedited file, so one mutant cannot break the anchor of another one. Edits at the same
    position are applied in the order of the mutants.
    """
    splices, failures = {}, []
    for mutant in mutants:
        for edit in mutant.edits:
            place = f"{mutant.place}: {edit.place}"
            try:
                found = _occurrences(edit)
            except OSError as error:
                failures.append(f"{place}: {error.strerror}")
                continue
            if len(found) != 1:
                failures.append(f"{place}: the anchor occurs {len(found)} times instead of once:\n{_indented(edit.anchor)}")
                continue
            file, start = found[0]
            end = start + len(edit.anchor)
            its = splices.setdefault(file, [])
            if edit.replace is not None:
                its.append((start, end, edit.replace, mutant))
            else:
                insertions = [(start, start, edit.before, mutant), (end, end, edit.after, mutant)]
                its += [insertion for insertion in insertions if insertion[2]]
    files = {}
    for file, its in splices.items():
        files[file] = with_import(file, _spliced(file, _source(file), its, failures))
    return files, failures


def write_copy(target, mutants, files, support=(SUPPORT,)):
    """Makes `target` a copy of the package with the edits. Unchanged files keep their dates, for an incremental build."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    # The manifest also refers to the folder of an example.
    command += ["Package.swift", "Sources", "Tests", "Examples/KeyValueServer"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    # The next build would otherwise fetch the packages again.
    kept = {"Package.resolved"}
    for path in listed:
        if not os.path.isfile(os.path.join(ROOT, path)):
            continue
        with open(os.path.join(ROOT, path), "rb") as file:
            content = file.read()
        if path.startswith("Sources/") and path[8:] in files:
            content = files[path[8:]].encode()
        elif path == "Package.swift":
            content = _package(content.decode()).encode()
        elif path.startswith("Tests/Mutants/"):
            continue
        _write(target, path, content, kept)
    for path, content in support_files(mutants, support).items():
        _write(target, path, content.encode(), kept)
    for folder, _, names in os.walk(target, topdown=False):
        for name in names:
            if os.path.relpath(os.path.join(folder, name), target) not in kept:
                os.remove(os.path.join(folder, name))
        if not os.listdir(folder):
            os.rmdir(folder)


def check(mutants, files, support=(SUPPORT,)):
    """Returns the errors of the compiler's parser in the edited files. Parses a copy of the package, and builds nothing."""
    failures = []
    with tempfile.TemporaryDirectory() as target:
        write_copy(target, mutants, files, support)
        modules = {}
        for file in sorted(files):
            modules.setdefault(file.split("/")[0], []).append(os.path.join("Sources", file))
        for module, names in modules.items():
            command = ["swiftc", "-parse", "-whole-module-optimization", "-module-name", module, *names]
            done = subprocess.run(command, cwd=target, capture_output=True, text=True)
            if done.returncode:
                failures.append(f"the edits of {module} do not parse:\n{done.stderr}")
    return failures


def support_files(mutants, support):
    """Returns the files that only the copy contains: the enum of the mutants, and the functions that they call."""
    files = {}
    for top in support:
        for folder, _, names in os.walk(top):
            for name in names:
                module, inner = os.path.relpath(os.path.join(folder, name), top).split(os.sep, 1)
                with open(os.path.join(folder, name)) as file:
                    files[f"Sources/{module}/Mutants/{inner}"] = file.read()
    cases = "".join(f"    case {mutant.name}\n" for mutant in mutants)
    files["Sources/ReactiveSupport/Mutants/Mutant.swift"] = (
        "/// The mutants of Tests/Mutants.\n@usableFromInline\npackage enum Mutant: String, CaseIterable, Sendable {\n"
        + cases
        + "}\n"
    )
    return files


@functools.cache
def _source(file):
    with open(os.path.join(ROOT, "Sources", file)) as content:
        return content.read()


def _occurrences(edit):
    """Returns the file, relative to Sources, and the offset of each occurrence of an edit's anchor."""
    if edit.symbol:
        paths = (f"Sources/{edit.file}",) if edit.file else symbols.files(f"Sources/{edit.module}")
        ranges = [(path[len("Sources/") :], start, end) for path, start, end in symbols.find(edit.symbol, paths)]
    else:
        ranges = [(edit.file, 0, len(_source(edit.file)))]
    return [
        (file, start + match.start())
        for file, start, end in ranges
        for match in re.finditer(re.escape(edit.anchor), _source(file)[start:end])
    ]


def _spliced(file, text, splices, failures):
    """Returns the text with the splices, which are applied from the end to the beginning."""
    ordered = sorted(splices, key=lambda splice: splice[:2])
    replaced_to, replacer = 0, None
    for start, end, _, mutant in ordered:
        if start < replaced_to:
            failures.append(f"{mutant.place}: Sources/{file}: the edit overlaps one of mutant {replacer.name}")
        if end > max(start, replaced_to):
            replaced_to, replacer = end, mutant
    for start, end, new, _ in reversed(ordered):
        text = text[:start] + new + text[end:]
    return text


def with_import(file, text):
    """Returns the text with an import of the switch. Inlinable functions need a public import."""
    if file.startswith("ReactiveSupport/"):
        return text
    new = "public import ReactiveSupport" if "@inlinable" in text else "import ReactiveSupport"
    old = re.search(r"^(public |package )?import ReactiveSupport$", text, re.MULTILINE)
    if not old:
        return new + "\n" + text
    return text if old[1] else text[: old.start()] + new + text[old.end() :]


def _package(text):
    """Returns the manifest of the copy, in which warnings are not errors, because edits leave unused and unreachable code."""
    if text.count(WARNINGS[0]) != 1:
        raise SystemExit(f"mutants: Package.swift does not hold {WARNINGS[0]} exactly once")
    return text.replace(*WARNINGS)


def _write(target, path, content, kept):
    full = os.path.join(target, path)
    kept.add(path)
    try:
        with open(full, "rb") as file:
            if file.read() == content:
                return
    except FileNotFoundError:
        os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "wb") as file:
        file.write(content)
    if path.startswith("Tests/"):
        shutil.copymode(os.path.join(ROOT, path), full)


def _indented(text):
    return "\n".join("    " + line for line in text.strip("\n").split("\n"))
