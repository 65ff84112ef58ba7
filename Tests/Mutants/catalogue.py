# SPDX-License-Identifier: MIT
"""Reads the mutants from the TOML files of this folder, and checks their form (README.md)."""

import dataclasses
import os
import re
import tomllib

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
MUTANT_KEYS = {"name": str, "description": str, "rules": list, "loop": str, "edit": list}
EDIT_KEYS = {"file": str, "anchor": str, "replace": str, "before": str, "after": str}


class Invalid(Exception):
    """The data is invalid. The message says where and why."""


@dataclasses.dataclass(frozen=True)
class Edit:
    file: str  # relative to Sources
    anchor: str
    replace: str | None
    before: str
    after: str

    @property
    def text(self):
        """The text that the edit adds."""
        return self.before + (self.replace or "") + self.after


@dataclasses.dataclass(frozen=True)
class Mutant:
    source: str  # the TOML file that defines it, relative to the repository
    group: str
    name: str
    description: str
    rules: tuple[str, ...]
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
    """Returns one sentence for each duplicate mutant, unknown rule, and missing or foreign fault."""
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
    for mutant in mutants:
        used = set(re.findall(r"\(\.(\w+)", "".join(edit.text for edit in mutant.edits)))
        if mutant.name not in used:
            found.append(f"{mutant.place}: no edit uses fault(.{mutant.name})")
        for other in sorted(used & seen.keys() - {mutant.name}):
            found.append(f"{mutant.place}: an edit uses the fault of another mutant, .{other}")
    return found


def _mutant(source, group, entry):
    place = f"{source}: mutant {entry.get('name', '(without a name)')}"
    _check_keys(place, entry, MUTANT_KEYS, ["name", "description", "rules", "edit"])
    if not re.fullmatch(r"[a-z]\w*", entry["name"]):
        raise Invalid(f"{place}: the name must be a Swift identifier that begins with a lower-case letter")
    if not entry["description"].endswith(".") or "\n" in entry["description"]:
        raise Invalid(f"{place}: the description must be one sentence on one line")
    if not entry["rules"] or not entry["edit"]:
        raise Invalid(f"{place}: it needs at least one rule and one [[mutant.edit]]")
    edits = tuple(_edit(place, edit) for edit in entry["edit"])
    rules = tuple(entry["rules"])
    return Mutant(source, group, entry["name"], entry["description"], rules, entry.get("loop"), edits)


def _edit(place, entry):
    _check_keys(place, entry, EDIT_KEYS, ["file", "anchor"])
    if ("replace" in entry) == ("before" in entry or "after" in entry):
        raise Invalid(f"{place}: an edit has either `replace`, or `before` or `after` or both")
    before, after = entry.get("before", ""), entry.get("after", "")
    return Edit(entry["file"], entry["anchor"], entry.get("replace"), before, after)


def _check_keys(place, entry, kinds, required):
    for key in required:
        if key not in entry:
            raise Invalid(f"{place}: `{key}` is missing")
    for key, value in entry.items():
        if key not in kinds:
            raise Invalid(f"{place}: `{key}` is not one of {', '.join(kinds)}")
        if not isinstance(value, kinds[key]):
            raise Invalid(f"{place}: `{key}` has the wrong type")
