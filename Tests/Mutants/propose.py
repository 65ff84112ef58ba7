#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proposes mutants at random, so that nobody picks those that tests detect easily (README.md).

The same seed proposes the same mutants for the same sources. The entries lack `suites`, which a person adds.
"""

import argparse
import os
import random
import re
import sys

sys.dont_write_bytecode = True

import catalogue
import symbols

# The kinds of faults, with the beginning of their names.
KINDS = {
    "unchecked": "dropped check",
    "offByOne": "off by one",
    "swapped": "swapped order",
    "uncleaned": "missing cleanup",
    "ignored": "ignored error",
    "unlimited": "removed limit",
}
LIMIT = re.compile(r"limit|maxim|\bmax|minim|\bmin|capacity|\bmost|bound", re.IGNORECASE)
CLEANUP = re.compile(
    r"\b(dispose|cancel|close|closeWithReset|release|remove|removeAll|removeValue|forget|drop|clear|abandon|takeAll|unsetenv)\("
    r"|[^=!<>]= (nil|\[\]|\[:\]|0|false)$"
)
FAILURE = re.compile(r"^(return )?([\w.?!]*\.)?((fail(?!ure)|reject|violate|refuse)\w*\(|report\w*\(.*error)|^throw\b")
STATEMENT = re.compile(r"^(try |unsafe |_ = )*[\w.?!\[\]]+(\(|\.| [-+]?= )")
OTHER = re.compile(r"^(return|throw|let|var|guard|if|for|while|switch|case|default|defer|do|catch|break|continue|func|init|precondition|assert|require)\b")


class Finder:
    """Collects the possible faults of a folder."""

    def __init__(self, folder):
        self.folder, self.found, self.texts = folder, [], {}

    def collect(self):
        for file in symbols.files(f"Sources/{self.folder}"):
            with open(os.path.join(symbols.ROOT, file)) as content:
                text = content.read()
            masked = symbols.mask(text)
            for declaration in symbols.declarations(file):
                # A member with code. Inlinable code is left out, because other modules compile it without the fault.
                own = text[declaration.start : declaration.end]
                if declaration.body < 0 and "{" in own and "@inlinable" not in own:
                    self.member(declaration, own, masked[declaration.start : declaration.end])
        # Other declarations may have the same path: overloads whose types differ.
        return [fault for fault in self.found if "".join(self.texts[fault[1]]).count(fault[3]) == 1]

    def member(self, declaration, text, masked):
        self.symbol, self.text = declaration.path, text
        self.texts.setdefault(self.symbol, []).append(text)
        self.conditions(masked)
        self.comparisons(masked)
        self.statements(masked)
        self.limits(masked)

    def add(self, kind, description, anchor, **edit):
        """Keeps a fault if its anchor is unique. `§` in the edit stands for the fault."""
        if self.text.count(anchor) == 1 and not re.search(r"//|\"\"\"", anchor):
            self.found.append((kind, self.symbol, description, anchor, edit))

    def conditions(self, masked):
        """Checks that are dropped: the condition of a guard, or of an `if` that leaves."""
        for match in re.finditer(r"\b(guard|if) ", masked):
            opening = _brace(masked, match.end())
            if opening < 0:
                continue
            end = opening
            if match[1] == "guard":
                end = masked.rfind(" else ", match.end(), opening)
            elif not re.match(r"\{\s*(return|throw|continue|break)\b", masked[opening:]):
                continue
            if end < 0:
                continue
            for start, stop in symbols.split(masked[match.end() : end]):
                start, stop = match.end() + start, match.end() + stop
                clause = self.text[start:stop].strip()
                if not clause or re.match(r"(let|var|case|#)\b|#", clause) or "\n" in clause:
                    continue
                kind = "unlimited" if LIMIT.search(clause) and re.search(r"[<>]", clause) else "unchecked"
                gate = ("(§ || (", "))") if match[1] == "guard" else ("(!§ && (", "))")
                self.add(kind, f"`{self.symbol}` does not check `{clause}`.", clause, before=gate[0], after=gate[1])

    def comparisons(self, masked):
        """Comparisons and sums that are off by one."""
        other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
        for match in re.finditer(r" (<=?|>=?) (?=[\w.(])", masked):
            line = self.line(match)
            # Durations and instants have no literals.
            if re.search(r"func |init\(|-> |seconds|timeout|deadline|now|\.zero|<<|>>", line):
                continue
            # Unsigned numbers have no negative literals.
            if match[1] in (">", "<=") and re.search(r"ASCII|UInt|0x", line):
                continue
            one = "(§ ? 1 : 0) + " if match[1] in ("<", ">=") else "(§ ? -1 : 0) + "
            what = f"`{self.symbol}` compares with `{other[match[1]]}` in place of `{match[1]}` in `{line}`."
            self.add("offByOne", what, self.before(match), after=one)
        for match in re.finditer(r" ([-+]=?) 1\b(?!\.|[\w:])", masked):
            line, anchor = self.line(match), self.before(match)
            what = f"`{self.symbol}` omits `{match[1]} 1` in `{line}`."
            self.add("offByOne", what, anchor, replace=anchor[:-1] + "(§ ? 0 : 1)")

    def line(self, match):
        """Returns the line of a match."""
        return self.text[self.text.rfind("\n", 0, match.start()) + 1 :].split("\n")[0].strip()

    def before(self, match):
        """Returns the match with the operand before it, and with more of its line if that occurs several times."""
        start = self.text.rfind("\n", 0, match.start()) + 1
        line = self.text[start : match.end()]
        for operand in (r"[\w.]+$", r"[\w.()\[\]]+$"):
            found = re.search(operand, line[: match.start() - start])
            if found and self.text.count(line[found.start() :]) == 1:
                return line[found.start() :]
        return line.lstrip()

    def statements(self, masked):
        """Statements on a line of their own: swapped, omitted as a cleanup, or omitted as the report of an error."""
        lines, offset = [], 0
        for line in masked.split("\n"):
            lines.append((line, self.text[offset : offset + len(line)]))
            offset += len(line) + 1
        for index, (line, raw) in enumerate(lines):
            code, own = line.strip(), raw.strip()
            if not _is_statement(code) or own != code and '"' not in own:
                continue
            previous = lines[index - 1][0].rstrip() if index else ""
            # A line that continues an expression, or the only expression of a closure or a function.
            if previous.endswith((",", "(", "=", "?", ":", "&&", "||")):
                continue
            if FAILURE.search(code):
                self.failure(code, own, previous)
            elif CLEANUP.search(code) and not OTHER.match(code):
                self.add("uncleaned", f"`{self.symbol}` does not run `{own}`.", own, before="if !§ { ", after=" }")
            following, next_raw = lines[index + 1] if index + 1 < len(lines) else ("", "")
            if OTHER.match(code) or OTHER.match(following.strip()) or not _is_statement(following.strip()):
                continue
            # The order of assignments rarely matters.
            if ".init(" in self.symbol or "(" not in code or "(" not in following:
                continue
            indent = len(line) - len(line.lstrip())
            if len(following) - len(following.lstrip()) == indent and not following.strip().startswith("."):
                pair, second = raw.strip() + "\n" + next_raw, next_raw.strip()
                what = f"`{self.symbol}` runs `{second}` before `{own}`."
                self.add("swapped", what, pair, before="if § { " + f"{second}; {own}" + " } else { ", after=" }")

    def failure(self, code, own, previous):
        what = f"`{self.symbol}` ignores an error: it does not run `{own}`."
        if code.startswith("return"):
            self.add("ignored", what, own, before="if § { return }; ")
        elif not code.startswith("throw"):
            self.add("ignored", what, own, before="if !§ { ", after=" }")
        elif not previous.endswith("else {"):
            self.add("ignored", what, own, before="if !§ { ", after=" }")

    def limits(self, masked):
        """Uses of `min` and `max` without the limit."""
        for match in re.finditer(r"(?<![\w.])(min|max)\(", masked):
            end = symbols.closing(masked, match.end() - 1)
            parts = symbols.split(masked[match.end() : end])
            call = self.text[match.start() : end + 1]
            if len(parts) != 2 or "\n" in call:
                continue
            arguments = [self.text[match.end() + start : match.end() + stop].strip() for start, stop in parts]
            # The limit is the constant, or else the argument that is named after a limit.
            weights = [2 if re.fullmatch(r"-?[\d_]+|\.\w+(\(\d+\))?", text) else bool(LIMIT.search(text)) for text in arguments]
            kept = arguments[0] if weights[0] < weights[1] else arguments[1]
            what = f"`{self.symbol}` uses `{kept}` in place of `{call}`."
            self.add("unlimited", what, call, before=f"(§ ? {kept} : ", after=")")


def _brace(masked, start):
    """Returns the offset of the brace that begins the body of a statement, or -1. A closure in brackets is skipped."""
    for match in re.finditer(r"[(\[]|\{|\n\s*\n", masked[start:]):
        position = start + match.start()
        if match[0] == "{":
            return position
        if match[0] in "([":
            return _brace(masked, symbols.closing(masked, position) + 1)
        return -1
    return -1


def _is_statement(code):
    return (
        bool(STATEMENT.match(code) or FAILURE.match(code))
        and not code.endswith(("{", ",", "(", "[", "="))
        and all(code.count(a) == code.count(b) for a, b in ("()", "[]", "{}"))
    )


def named(found):
    """Returns the faults with their names, which do not depend on the seed."""
    names, result = {}, []
    for kind, symbol, description, anchor, edit in found:
        words = [word for word in re.findall(r"[A-Za-z0-9]+", symbol.split("(")[0])]
        base = kind + "".join(word[0].upper() + word[1:] for word in words)
        names[base] = names.get(base, 0) + 1
        result.append((base + (str(names[base]) if names[base] > 1 else ""), kind, symbol, description, anchor, edit))
    return result


def excluded():
    """Returns the names of the proposals that make no mutant."""
    with open(os.path.join(catalogue.FOLDER, "excluded.txt")) as file:
        return {line.split(":")[0] for line in file if line.strip() and not line.startswith("#")}


def propose(folder, seed, count):
    """Returns random faults of a folder, of each kind as many as of the others if there are enough."""
    faults, names = named(Finder(folder).collect()), excluded()
    source, chosen, members = random.Random(f"{seed} {folder}"), [], {}
    piles = [[fault for fault in faults if fault[1] == kind] for kind in KINDS]
    for pile in piles:
        source.shuffle(pile)
    while len(chosen) < count and any(piles):
        for pile in piles:
            # At most two faults of a member.
            while pile and (pile[-1][0] in names or members.get(pile[-1][2], 0) >= 2):
                pile.pop()
            if pile and len(chosen) < count:
                fault = pile.pop()
                members[fault[2]] = members.get(fault[2], 0) + 1
                chosen.append(fault)
    return sorted(chosen)


def entry(module, fault):
    """Returns a fault as an entry of a TOML file."""
    name, _, symbol, description, anchor, edit = fault
    scope = symbol.split("(")[0].rpartition(".")[0]
    # A member of that name would hide the function.
    hidden = symbols.find(f"{scope}.fault", symbols.files(f"Sources/{module}"))
    gate = f"{'ReactiveSupport.' if hidden else ''}fault(.{name})"
    lines = ["[[mutant]]", f"name = {quoted(name)}", f"description = {quoted(description)}", "suites = []"]
    lines += ["[[mutant.edit]]", f"module = {quoted(module)}", f"symbol = {quoted(symbol)}", f"anchor = {quoted(anchor)}"]
    lines += [f"{key} = {quoted(value.replace('§', gate, 1))}" for key, value in edit.items()]
    return "\n".join(lines) + "\n"


def quoted(text):
    """Returns a string of TOML. Text on several lines keeps them."""
    text = text.replace("\\", "\\\\")
    return '"""\n' + text + '"""' if "\n" in text else '"' + text.replace('"', '\\"') + '"'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True, help="how many faults of each folder to propose")
    parser.add_argument("folder", nargs="+", help="a module or a folder of one, relative to Sources")
    options = parser.parse_args()
    for folder in options.folder:
        print("\n".join(entry(folder.split("/")[0], fault) for fault in propose(folder, options.seed, options.count)))


if __name__ == "__main__":
    main()
