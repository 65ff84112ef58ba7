#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every public declaration under Sources has a doc comment that begins with a summary, and names its errors if it throws.

Declarations that only meet a requirement of the standard library (`==`, `description` and the like) inherit its comment. Arguments
name the only folders to check.
"""

import re
import subprocess
import sys

MODIFIERS = r"(?:(?:@\w+(?:\([^)]*\))?|static|class|final|mutating|nonmutating|nonisolated(?:\(\w+\))?|convenience|required|override|consuming|borrowing|indirect|unowned|weak|lazy|dynamic)\s+)*"
KINDS = r"(?:func|var|let|init|subscript|case|struct|class|enum|actor|protocol|typealias|associatedtype|macro|operator)\b"
PUBLIC = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*" + MODIFIERS + r"(?:public(?!\()|open)\s+(?:package\(set\)\s+|private\(set\)\s+|internal\(set\)\s+)?" + MODIFIERS + r"(?P<kind>" + KINDS + r")")
REQUIREMENT = re.compile(r"^\s*" + MODIFIERS + r"(?P<kind>func|var|init|subscript|associatedtype|case)\b")
INHERITED = re.compile(
    r"func (==|<|hash\(into|encode\(to|encodeAtomicRepresentation|decodeAtomicRepresentation|makeAsyncIterator|makeIterator|next\(|index\(|enqueue\(|asUnownedSerialExecutor|asUnownedTaskExecutor|checkIsolated|isSameExclusiveExecutionContext|isIsolatingCurrentContext)"
    r"|var (description|debugDescription|hashValue|errorDescription|startIndex|endIndex|first|underestimatedCount)\b"
    r"|typealias (Element|Index|Iterator|AsyncIterator|Failure|ArrayLiteralElement|StringLiteralType|AtomicRepresentation|RawValue)\b"
    r"|init\((stringLiteral|arrayLiteral|dictionaryLiteral|integerLiteral|unicodeScalarLiteral|extendedGraphemeClusterLiteral)|let rawValue\b|init\(rawValue"
)
CLOSURE = re.compile(r"\([^()]*\)")


def code_of(line):
    """The line without strings and comments, so that only braces of code count."""
    line = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
    return re.sub(r"//.*", "", line)


def signature(lines, start):
    """The declaration from its first line to its body."""
    text = ""
    for line in lines[start : start + 30]:
        text += code_of(line) + " "
        if text.count("(") <= text.count(")") and ("{" in text or not text.rstrip().endswith((",", "(", "->", "where", "="))):
            break
    return text


def throws(lines, start):
    text = signature(lines, start)
    head = text.split("{")[0]
    while CLOSURE.search(head):
        head = CLOSURE.sub(" ", head)
    if re.search(r"\bthrows\b", head) and " -> " not in head.split("throws")[0]:
        return True
    body = " ".join(code_of(line) for line in lines[start : start + 3])
    return bool(re.search(r"\bget\s+(async\s+)?throws\b", body)) and " var " in " " + head


def comment_above(lines, start):
    """The doc comment, past attributes and compiler conditions between it and the declaration."""
    comment = []
    index = start - 1
    while index >= 0 and re.match(r'^\s*(@|#if|\)|//(?!/)|\w+: .*\)$|\*,$|unavailable,$|message:( ".*")?$|".*"$)', lines[index]) and not lines[index].strip().startswith("///"):
        index -= 1
    while index >= 0 and lines[index].strip().startswith("///"):
        comment.insert(0, lines[index].strip()[3:].strip())
        index -= 1
    return comment


def failures(name):
    lines = open(name, encoding="utf-8").read().split("\n")
    # The kinds of the open blocks: "protocol" and "enum" for public ones, "other" for the rest.
    blocks = []
    for number, line in enumerate(lines):
        code = code_of(line)
        match = PUBLIC.match(code)
        inside = blocks[-1] if blocks else ""
        if not match and inside in ("protocol", "enum"):
            match = REQUIREMENT.match(code)
            if match and inside == "enum" and match["kind"] != "case":
                match = None
        if match and not INHERITED.search(code):
            comment = comment_above(lines, number)
            if not comment or not comment[0]:
                yield f"{name}:{number + 1}: no summary: {line.strip()}"
            elif match["kind"] in ("func", "init", "var", "subscript") and throws(lines, number):
                if not any(text.startswith("- Throws:") for text in comment):
                    yield f"{name}:{number + 1}: no errors: {line.strip()}"
        opened = code.count("{") - code.count("}")
        for _ in range(opened):
            kind = match["kind"] if match else ""
            blocks.append(kind if kind in ("protocol", "enum") else "other")
        for _ in range(-opened):
            if blocks:
                blocks.pop()


def main():
    files = subprocess.run(["git", "ls-files", "Sources/*.swift"], capture_output=True, text=True, check=True).stdout.split()
    files = [name for name in files if name.startswith(tuple(sys.argv[1:] or [""]))]
    found = [failure for name in files for failure in failures(name)]
    for failure in found:
        print(failure)
    if found:
        print(f"{len(found)} public declarations lack a summary, or the errors that they throw", file=sys.stderr)
        sys.exit(1)
    print("doc-comments: every public declaration has a summary, and names the errors that it throws")


main()
