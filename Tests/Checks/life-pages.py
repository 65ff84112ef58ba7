#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The links of Docs/LifeOf*.md are right: each relative link exists, and the file of [`Type.member(label:)`] declares that member.

A link is inline, [`Type`](path), or by a label, [`Type`][label]. Swift files are read without a compiler: comments and strings are
blanked out, braces give the scope of each declaration.
"""

import glob
import os
import re
import sys

TYPES = ("class", "struct", "enum", "protocol", "extension", "actor")
TOKEN = re.compile(
    r"[{}]|(?<![.`\w])(?:(?P<keyword>class|struct|enum|protocol|extension|actor|func|var|let|case|typealias|init|deinit|subscript)\b"
    r"(?:\s+`?(?P<name>(?!func\b|var\b|let\b|subscript\b)\w+(?:\.\w+)*)`?)?)"
)
DEFINITION = re.compile(r"^\[([^\]]+)\]:\s*(\S+)\s*$")
LINK = re.compile(r"\[(?P<text>[^\]\[]*)\](?:\((?P<path>[^)\s]+)\)|\[(?P<label>[^\]]+)\])")
NAME = re.compile(r"^`(?P<path>[\w.]+)(?P<labels>\([\w:]*\))?`$")


def blanked(text):
    """Swift without the contents of its comments and strings. An interpolation is blanked out too."""
    out, index, closers = [], 0, []
    while index < len(text):
        rest = text[index:index + 3]
        inside = closers and closers[-1]
        if inside in ('"', '"""'):
            if rest.startswith("\\("):
                closers.append(")")
                width = 2
            elif rest.startswith("\\"):
                width = 2
            elif rest.startswith(inside):
                width = len(closers.pop())
            else:
                width = 1
        elif rest.startswith("//"):
            width = (text + "\n").index("\n", index) - index
        elif rest.startswith('"'):
            closers.append('"""' if rest == '"""' else '"')
            width = len(closers[-1])
        elif closers:
            if rest[0] == "(":
                closers.append(")")
            elif rest[0] == ")":
                closers.pop()
            width = 1
        else:
            out.append(rest[0])
            index += 1
            continue
        out.append(re.sub(r"[^\n]", " ", text[index:index + width]))
        index += width
    return "".join(out)


def parameters(text, start):
    """The labels of the parameter list that begins at or after `start`."""
    begin = re.compile(r"\s*(<[^(]*>)?\s*\(").match(text, start)
    if not begin:
        return []
    depth, labels, first = 0, [], True
    for index in range(begin.end() - 1, len(text)):
        character = text[index]
        if character in "([{<":
            depth += 1
        elif character in ")]}" or character == ">" and text[index - 1] != "-":
            depth -= 1
            if depth == 0:
                return labels
        elif character == "," and depth == 1:
            first = True
        if first and depth == 1:
            label = re.compile(r"[(,]\s*(?:@\w+\s+)*`?(\w+)").match(text, index)
            if label:
                labels.append(label[1])
            first = False
    return labels


def declarations(text):
    """Each (scope, name, labels, keyword) of a Swift file. A member's scope is the dotted name of its type."""
    text = blanked(text)
    scopes, pending = [], None
    for token in TOKEN.finditer(text):
        if token[0] == "{":
            scopes.append(pending)
            pending = None
        elif token[0] == "}":
            if scopes:
                scopes.pop()
        elif all(scope is not None for scope in scopes):
            keyword, name = token["keyword"], token["name"]
            scope = ".".join(scopes)
            if keyword in ("init", "deinit", "subscript"):
                yield scope, keyword, parameters(text, token.end("keyword")), keyword
            elif name:
                if keyword in TYPES:
                    pending = name
                yield scope, name, parameters(text, token.end("name")) if keyword == "func" else [], keyword
                # case one, two
                more = re.compile(r"(?:\s*,\s*(\w+))+").match(text, token.end("name")) if keyword == "case" else None
                for other in re.findall(r"\w+", more[0]) if more else []:
                    yield scope, other, [], keyword


def declares(text, path, labels, is_swift):
    """Whether the file's text declares `path`, such as Type.member, with these labels in this order."""
    if not is_swift:
        return re.search(r"^[\w *]*\b" + re.escape(path) + r"\(", text, re.MULTILINE) is not None
    for scope, name, all_labels, keyword in declarations(text):
        # A name without a dot is a type, or a function of the file.
        if not f".{scope}.{name}".endswith("." + path) or "." not in path and scope and keyword not in TYPES:
            continue
        remaining = iter(all_labels)
        if all(label in remaining for label in labels):
            return True
    return False


def failures(page, text, read):
    """The failures of a page. `read` returns a file's text, or None if there is none."""
    lines = text.split("\n")
    targets = dict(found.groups() for line in lines if (found := DEFINITION.match(line)))
    used, is_code = set(), False
    for number, line in enumerate(lines, 1):
        is_code ^= line.startswith("```")
        definition = DEFINITION.match(line)
        if is_code:
            continue
        links = [("", definition[2])] if definition else []
        for link in [] if definition else LINK.finditer(line):
            if link["label"] and link["label"] not in targets:
                yield f"{page}:{number}: no such label: {link['label']}"
                continue
            used.add(link["label"])
            links.append((link["text"], link["path"] or targets[link["label"]]))
        for shown, target in links:
            target = target.split("#")[0]
            if not target or "://" in target:
                continue
            content = read(os.path.normpath(os.path.join(os.path.dirname(page), target)))
            if content is None:
                if definition or not link["label"]:
                    yield f"{page}:{number}: no such file: {target}"
                continue
            name = NAME.match(shown)
            if not name or not target.endswith((".swift", ".c", ".h")):
                continue
            labels = [label for label in (name["labels"] or "").strip("()").split(":") if label]
            if not declares(content, name["path"], labels, target.endswith(".swift")):
                yield f"{page}:{number}: {os.path.basename(target)} does not declare {shown.strip('`')}"
    for label in targets:
        if label not in used:
            yield f"{page}: no link uses the label {label}"


def read(path):
    if os.path.isdir(path):
        return ""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def check_itself():
    """A good page passes, and each bad line is found."""
    swift = """
        // func commented() {}
        struct Box<Value> { init(_ value: Value) { let inner = 1 } ; let text = "{ \\(f("}")) \\""
            enum Kind { case one, two } }
        extension Box.Kind { func next(after name: (Int) -> Void, _ step: Int, now: Int) {} }
    """
    files = {"Docs/../a.swift": swift, "a.swift": swift, "b.c": "int work(void) {"}
    good = ["Box", "Box.init", "Box.text", "Box.Kind", "Box.Kind.two", "Kind.two", "Box.Kind.next(after:now:)", "Kind"]
    page = "".join(f"[`{name}`](../a.swift)\n" for name in good) + "[`work`][c]\n[c]: ../b.c\n"
    found = list(failures("Docs/page.md", page, files.get))
    bad = ["Boxes", "Box.commented", "Box.inner", "Kind.text", "Kind.next(before:)", "Kind.next(now:after:)", "next"]
    page = "".join(f"[`{name}`](../a.swift)\n" for name in bad) + "[`walk`](../b.c)\n[x](../c.md)\n[x][none]\n"
    missed = len(bad) + 3 - len(list(failures("Docs/page.md", page, files.get)))
    if found or missed:
        sys.exit("\n".join(["life-pages: the check is wrong", *found, f"it misses {missed} bad lines"]))


check_itself()
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
pages = sorted(glob.glob("Docs/LifeOf*.md"))
found = [failure for page in pages for failure in failures(page, read(page), read)]
if found or not pages:
    sys.exit("\n".join(found or ["life-pages: there are no pages Docs/LifeOf*.md"]))
print(f"life-pages: the links of {len(pages)} pages are right")
