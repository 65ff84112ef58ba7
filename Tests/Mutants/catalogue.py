# SPDX-License-Identifier: MIT
"""Reads the mutants from the TOML files of this folder, and checks their form (README.md)."""

import dataclasses
import functools
import os
import re
import tomllib

import symbols
from symbols import ROOT

FOLDER = os.path.dirname(os.path.abspath(__file__))
MUTANT_KEYS = {"name": str, "description": str, "rules": list, "suites": list, "loop": str, "edit": list}
EDIT_KEYS = {"file": str, "module": str, "symbol": str, "anchor": str, "replace": str, "before": str, "after": str}


class Invalid(Exception):
    """The data is invalid. The message says where and why."""


@dataclasses.dataclass(frozen=True)
class Edit:
    file: str | None  # relative to Sources
    module: str | None  # in place of the file
    symbol: str | None  # the declaration that contains the anchor; None means anywhere in the file
    anchor: str
    replace: str | None
    before: str
    after: str

    @property
    def text(self):
        """The text that the edit adds."""
        return self.before + (self.replace or "") + self.after

    @property
    def place(self):
        """Where the anchor must occur exactly once."""
        return f"Sources/{self.file or self.module}" + (f", {self.symbol}" if self.symbol else "")


@dataclasses.dataclass(frozen=True)
class Mutant:
    source: str  # the TOML file that defines it, relative to the repository
    group: str
    name: str
    description: str
    rules: tuple[str, ...]  # of the conformance kit
    suites: tuple[str, ...]  # of the tests, if there are no rules
    loop: str | None
    edits: tuple[Edit, ...]

    @property
    def place(self):
        return f"{self.source}: mutant {self.name}"


def load(folder=FOLDER):
    """Returns all mutants of a folder, in the order of the file names and of the entries in each file."""
    mutants = []
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".toml")):
        source = os.path.relpath(os.path.join(folder, name), ROOT)
        with open(os.path.join(folder, name), "rb") as file:
            try:
                content = tomllib.load(file)
            except tomllib.TOMLDecodeError as error:
                raise Invalid(f"{source}: {error}") from None
        group, entries = content.pop("group", None), content.pop("mutant", [])
        if not isinstance(group, str) or content:
            raise Invalid(f"{source}: the top level holds `group` and `[[mutant]]` entries, nothing else")
        mutants += [_mutant(source, group, entry) for entry in entries]
    return mutants


def problems(mutants):
    """Returns one sentence for each duplicate mutant, unknown rule or suite, and missing or foreign fault."""
    with open(os.path.join(ROOT, "Docs/Contract.md")) as page:
        rules = set(re.findall(r"^\| ([A-Z]+\d+) \|", page.read(), re.MULTILINE))
    found, seen = [], {}
    for mutant in mutants:
        if mutant.name in seen:
            found.append(f"{mutant.place}: the name is taken by {seen[mutant.name].place}")
        seen[mutant.name] = mutant
        for rule in mutant.rules:
            if rule not in rules:
                found.append(f"{mutant.place}: Docs/Contract.md has no rule {rule}")
        for suite in mutant.suites:
            if not _is_suite(suite):
                found.append(f"{mutant.place}: Tests has no suite {suite}")
    for mutant in mutants:
        used = set(re.findall(r"\(\.(\w+)", "".join(edit.text for edit in mutant.edits)))
        if mutant.name not in used:
            found.append(f"{mutant.place}: no edit uses fault(.{mutant.name})")
        for other in sorted(used & seen.keys() - {mutant.name}):
            found.append(f"{mutant.place}: an edit uses the fault of another mutant, .{other}")
    return found


@functools.cache
def _is_suite(suite):
    """Whether the tests have that suite or test: ReactiveCAresTests.CAres/AnswerTests/noise."""
    target, _, path = suite.partition(".")
    return bool(symbols.find(path.replace("/", "."), symbols.files(f"Tests/{target}")))


def _mutant(source, group, entry):
    place = f"{source}: mutant {entry.get('name', '(without a name)')}"
    _check_keys(place, entry, MUTANT_KEYS, ["name", "description", "edit"])
    if not re.fullmatch(r"[a-z]\w*", entry["name"]):
        raise Invalid(f"{place}: the name must be a Swift identifier that begins with a lower-case letter")
    if not entry["description"].endswith(".") or "\n" in entry["description"]:
        raise Invalid(f"{place}: the description must be one sentence on one line")
    rules, suites = tuple(entry.get("rules", ())), tuple(entry.get("suites", ()))
    if not entry["edit"] or bool(rules) == bool(suites):
        raise Invalid(f"{place}: it needs either `rules` or `suites`, and at least one [[mutant.edit]]")
    edits = tuple(_edit(place, edit) for edit in entry["edit"])
    return Mutant(source, group, entry["name"], entry["description"], rules, suites, entry.get("loop"), edits)


def _edit(place, entry):
    _check_keys(place, entry, EDIT_KEYS, ["anchor"])
    if ("file" in entry) == ("module" in entry) or "module" in entry and "symbol" not in entry:
        raise Invalid(f"{place}: an edit has either `file`, or `module` and `symbol`")
    if ("replace" in entry) == ("before" in entry or "after" in entry):
        raise Invalid(f"{place}: an edit has either `replace`, or `before` or `after` or both")
    before, after = entry.get("before", ""), entry.get("after", "")
    place = (entry.get("file"), entry.get("module"), entry.get("symbol"))
    return Edit(*place, entry["anchor"], entry.get("replace"), before, after)


def _check_keys(place, entry, kinds, required):
    for key in required:
        if key not in entry:
            raise Invalid(f"{place}: `{key}` is missing")
    for key, value in entry.items():
        if key not in kinds:
            raise Invalid(f"{place}: `{key}` is not one of {', '.join(kinds)}")
        if not isinstance(value, kinds[key]):
            raise Invalid(f"{place}: `{key}` has the wrong type")
