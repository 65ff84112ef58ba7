#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every Swift snippet of the documentation is part of a Swift file under Examples or Tests.

The pages are README.md, Docs, the DocC catalogues under Sources, and the doc comments under Sources. The lines of a snippet must
follow each other in the file as they do on the page. The file may indent the whole snippet by one amount. A block that looks like
Swift must be tagged ```swift. README.md may have 110 lines.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict

README_LIMIT = 110
FENCE = re.compile(r"^( *)(`{3,}|~{3,}) *([^`]*)$")
LIST_ITEM = re.compile(r"^ *([-*+]|\d+[.)]) +")
LOOKS_LIKE_SWIFT = re.compile(
    r"\b(let|var) (\w+|\(.+\)) ?[=:]|\b(if|guard|while) (let|var|case) |\bfunc [\w(]|\.package\(|\.product\(|\$0"
    r"|^(@\w+ |public |package |internal |private )*(import|struct|actor|enum|protocol|extension|class|final class) [\w.<>]+( ?[{:].*)?$"
    r"|\{ *(\[.*\] *)?[\w, ]+ in\b|\.subscribe\(|\.signal\.|\btry (await )?[\w.]+\("
)
DOC_COMMENT = re.compile(r"^( *)///( ?)(.*)$")


class Block:
    """A code block of a page: its language, the number of its first line, and its lines."""

    def __init__(self, language, number, lines):
        while lines and not lines[0]:
            lines, number = lines[1:], number + 1
        while lines and not lines[-1]:
            lines = lines[:-1]
        self.language, self.number, self.lines = language, number, lines


def indent(line):
    return len(line) - len(line.lstrip(" "))


def unindented(line, amount):
    return line[min(amount, indent(line)):]


def blocks(lines, first=1):
    """The code blocks of Markdown text. An indented block has the language "indented"."""
    code_indent = 4  # The indentation of a code block. It is larger inside a list.
    was_blank = True
    place = 0
    while place < len(lines):
        line = lines[place].rstrip()
        fence = FENCE.match(line)
        if fence:
            end = place + 1
            closing = re.compile(r"^ *" + re.escape(fence[2]) + r"[`~]*$")
            while end < len(lines) and not closing.match(lines[end].rstrip()):
                end += 1
            body = [unindented(each.rstrip(), len(fence[1])) for each in lines[place + 1:end]]
            yield Block((fence[3].split() or [""])[0].lower(), first + place + 1, body)
            place, was_blank = end + 1, False
            continue
        item = LIST_ITEM.match(line)
        if item and indent(line) < code_indent:
            code_indent = len(item[0]) + 4
        elif line and indent(line) == 0:
            code_indent = 4
        elif line and was_blank and indent(line) >= code_indent:
            end = place
            while end < len(lines) and (not lines[end].strip() or indent(lines[end]) >= code_indent):
                end += 1
            yield Block("indented", first + place, [unindented(each.rstrip(), code_indent) for each in lines[place:end]])
            place, was_blank = end, True
            continue
        was_blank = not line
        place += 1


def comments(lines):
    """The doc comments of a Swift file: the number of the first line, and the text."""
    text = []
    for number, line in enumerate(lines + [""], 1):
        comment = DOC_COMMENT.match(line)
        if comment:
            text.append(comment[3])
        elif text:
            yield number - len(text), text
            text = []


class Sources:
    """The Swift files that a snippet may be part of."""

    def __init__(self, files):
        self.files = files
        self.places = defaultdict(list)
        for name, lines in files.items():
            for number, line in enumerate(lines):
                self.places[line.strip()].append((name, number))

    def differing(self, snippet, name, start):
        """The indices of the snippet's lines that differ, if it begins at this line of the file."""
        lines = self.files[name]
        shifts = [
            indent(lines[start + index]) - indent(line)
            for index, line in enumerate(snippet)
            if line and 0 <= start + index < len(lines) and lines[start + index].strip() == line.strip()
        ]
        shift = max(set(shifts), key=shifts.count, default=0)
        for index, line in enumerate(snippet):
            expected = " " * shift + line if line else ""
            if shift < 0 or not 0 <= start + index < len(lines) or lines[start + index].rstrip() != expected:
                yield index

    def contain(self, snippet):
        candidates = self.places.get(snippet[0].strip(), [])
        return any(next(self.differing(snippet, name, start), None) is None for name, start in candidates)

    def closest(self, snippet):
        """The first line of the snippet that differs from the most similar part of a file, and that part's file and line."""
        best = (len(snippet), 0, None, 0)
        for index, line in enumerate(snippet):
            candidates = self.places.get(line.strip(), [])
            if len(line.strip()) < 4 or len(candidates) > 100:
                continue
            for name, number in candidates:
                differing = list(self.differing(snippet, name, number - index))
                if differing and len(differing) < best[0]:
                    best = (len(differing), differing[0], name, number - index + differing[0] + 1)
        return best[1:]


def failures(page, found, sources):
    """The failures of the code blocks of a page."""
    for block in found:
        if block.language == "swift" and block.lines:
            if sources.contain(block.lines):
                continue
            index, name, number = sources.closest(block.lines)
            near = f"differs from {name}:{number}" if name else "is in no file of Examples or Tests"
            yield f"{page}:{block.number + index}: {near}: {block.lines[index].strip()}"
        elif block.language in ("", "indented"):
            swift = next((line for line in block.lines if LOOKS_LIKE_SWIFT.search(line)), None)
            if swift is not None:
                yield f"{page}:{block.number}: tag this block ```swift, or ```text if it is not Swift: {swift.strip()}"


def check_itself():
    """The check detects the mistakes that it must detect."""
    sources = Sources({"a.swift": ["func a() {", "    let b = 1", "", "    if b > 0 {", "        print(b)", "    }", "}"]})

    def count(*lines):
        return len(list(failures("page", blocks(list(lines)), sources)))

    body = ["let b = 1", "", "if b > 0 {", "    print(b)", "}"]
    legal = [
        ["```swift", *body, "```"],
        ["1. List", "", "   ```swift", *("   " + line for line in body), "   ```"],
        ["```console", "$ let x = 1", "```"],
        ["```", "a --> b", "```", "", "    a diagram"],
        ["- a list", "  that imports", "", "    import Swift"],
    ]
    wrong = [
        ["```swift", *body[:2], *body[3:], "```"],
        ["```swift", *(line.strip() for line in body), "```"],
        ["```swift", "let b = 2", "```"],
        ["```", "let b = 1", "```"],
        ["text", "", "    let b = 1"],
        ["~~~", '.package(url: "")', "~~~"],
        ["```", "public import Swift", "```"],
    ]
    comment = list(comments(["    /// A.", "    ///", "    /// ```swift", "    /// let c = 1", "    /// ```", "    let c = 1"]))
    differs = list(failures("page", blocks(["```swift", *body[:3], "    print(c)", "```"]), sources))
    if (
        any(count(*page) for page in legal)
        or any(count(*page) != 1 for page in wrong)
        or [(block.number, block.lines) for block in blocks(comment[0][1], comment[0][0])] != [(4, ["let c = 1"])]
        or differs != ["page:5: differs from a.swift:5: print(c)"]
    ):
        sys.exit("snippets: the check does not find what it should")


def text(name):
    with open(name, encoding="utf-8") as file:
        return file.read().splitlines()


check_itself()
os.chdir(os.path.join(os.path.dirname(__file__), "../.."))
command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md", "*.swift"]
names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
# The list contains files whose deletion is not committed.
names = sorted(name for name in set(names) if name and os.path.exists(name))
sources = Sources({name: text(name) for name in names if name.endswith(".swift") and name.startswith(("Examples/", "Tests/"))})

found, number = [], 0
for name in names:
    if name == "README.md" or re.match(r"Docs/.*\.md$|Sources/.*\.docc/.*\.md$", name):
        pages = list(blocks(text(name)))
    elif re.match(r"Sources/.*\.swift$", name):
        pages = [block for first, lines in comments(text(name)) for block in blocks(lines, first)]
    else:
        continue
    number += sum(block.language == "swift" for block in pages)
    found += failures(name, pages, sources)
if len(text("README.md")) > README_LIMIT:
    found.append(f"README.md: {len(text('README.md'))} lines, and {README_LIMIT} are allowed")
if found:
    sys.exit("\n".join(f"snippets: {failure}" for failure in found))
print(f"snippets: all {number} are compiled")
