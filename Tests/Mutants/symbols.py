# SPDX-License-Identifier: MIT
"""Finds the declarations of Swift sources by matching braces. Ignores comments and the contents of strings."""

import dataclasses
import functools
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OPENING = re.compile(r'//|/\*|#*"""|#*"')
WORD = re.compile(r"(?<![\w.`$])(func|init|deinit|subscript|var|let|case|class|struct|enum|actor|protocol|extension)\b")
TYPES = {"class", "struct", "enum", "actor", "protocol", "extension"}
NAME = re.compile(r"\s+(`?[\w.]+`?|[^\w\s(]+)")
PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclasses.dataclass(frozen=True)
class Declaration:
    """A declaration. Its text lasts until the next declaration of the same scope."""

    path: str  # "FrameDecoder.HeadBytes.word(at:)"
    start: int
    end: int
    body: int  # the offset after the opening brace of a type, -1 for a member

    @property
    def base(self):
        """The path without argument labels."""
        return self.path.split("(")[0]


def mask(text):
    """Returns the text with spaces in place of comments and of the contents of strings. Offsets and lines stay the same."""
    parts, position = [], 0
    while match := OPENING.search(text, position):
        parts.append(text[position : match.start()])
        end = _end(text, match)
        parts.append(re.sub(r"[^\n]", " ", text[match.start() : end]))
        position = end
    return "".join(parts) + text[position:]


@functools.cache
def declarations(file):
    """Returns the declarations of a file, which is relative to the repository, in the order of the text."""
    with open(os.path.join(ROOT, file)) as content:
        text = mask(content.read())
    found = []
    _scan(text, 0, len(text), "", found)
    return tuple(found)


@functools.cache
def files(folder):
    """Returns the Swift files below a folder of the repository, relative to the repository, sorted."""
    return tuple(
        sorted(
            os.path.relpath(os.path.join(top, name), ROOT)
            for top, _, names in os.walk(os.path.join(ROOT, folder))
            for name in names
            if name.endswith(".swift")
        )
    )


def find(symbol, paths):
    """Returns the file and the range of each declaration of that name. Without argument labels, all overloads match."""
    wanted = symbol.replace(" ", "")
    return [
        (file, declaration.start, declaration.end)
        for file in paths
        for declaration in declarations(file)
        if wanted in (declaration.path, declaration.base)
    ]


def closing(text, position):
    """Returns the offset of the bracket that closes the one at `position`, or the end of the text."""
    depth = 0
    for match in re.compile(r"[(\[{)\]}]").finditer(text, position):
        depth += 1 if match[0] in PAIRS else -1
        if depth == 0:
            return match.start()
    return len(text)


def split(text):
    """Splits masked text at the commas outside of brackets. Returns the range of each part."""
    ranges, depth, start = [], 0, 0
    for match in re.finditer(r"[(\[{)\]},]", text):
        if match[0] == "," and depth == 0:
            ranges.append((start, match.start()))
            start = match.end()
        elif match[0] != ",":
            depth += 1 if match[0] in PAIRS else -1
    return ranges + [(start, len(text))]


def _end(text, match):
    """Returns the end of the comment or string that begins with the match."""
    opening = match[0]
    if opening == "//":
        end = text.find("\n", match.end())
        return len(text) if end < 0 else end
    if opening == "/*":
        depth = 1
        for token in re.compile(r"/\*|\*/").finditer(text, match.end()):
            depth += 1 if token[0] == "/*" else -1
            if depth == 0:
                return token.end()
        return len(text)
    hashes = opening.rstrip('"')
    quote = opening.lstrip("#")
    token = re.compile(r"\\%s(\(|.)|%s%s" % (hashes, quote, hashes), re.DOTALL)
    position = match.end()
    while found := token.search(text, position):
        if not found[1]:
            return found.end()
        position = found.end()
        if found[1] == "(":
            # An interpolation, which may contain strings.
            depth = 1
            while depth:
                inner = re.compile(r'[()]|#*"""|#*"').search(text, position)
                if not inner:
                    return len(text)
                position = inner.end()
                if inner[0] == "(":
                    depth += 1
                elif inner[0] == ")":
                    depth -= 1
                else:
                    position = _end(text, inner)
    return len(text)


def _scan(text, start, end, path, found):
    """Appends the declarations between two offsets, whose brackets are balanced."""
    heads, position = [], start
    token = re.compile(r"[(\[{]|" + WORD.pattern)
    while (match := token.search(text, position, end)) is not None:
        if match[0] in PAIRS:
            position = closing(text, match.start()) + 1
            continue
        position = match.end()
        word = match[1]
        if word in ("init", "deinit", "subscript"):
            name = word
        else:
            named = NAME.match(text, match.end())
            # `class func` declares no class.
            if not named or named[1] in ("func", "var", "let", "init", "subscript"):
                continue
            name = named[1].strip("`")
            position = named.end()
        body = -1
        if word in TYPES:
            brace = text.find("{", position, end)
            if brace < 0:
                continue
            body = brace + 1
            position = closing(text, brace) + 1
        elif word in ("func", "init", "subscript"):
            opening = text.find("(", position, end)
            if opening < 0:
                continue
            position = closing(text, opening) + 1
            name += "(" + "".join(label + ":" for label in _labels(text[opening + 1 : position - 1], word)) + ")"
        line = text.rfind("\n", 0, match.start()) + 1
        heads.append((name, max(line, start), body, position))
    for index, (name, head, body, last) in enumerate(heads):
        following = heads[index + 1][1] if index + 1 < len(heads) else end
        full = f"{path}.{name}" if path else name
        found.append(Declaration(full, head, max(following, head) if body < 0 else last, body))
        if body >= 0:
            _scan(text, body, last - 1, full, found)


def _labels(parameters, word):
    """Returns the argument labels of a parameter list."""
    if not parameters.strip():
        return []
    labels = []
    for start, end in split(re.sub(r"<[^<>()]*>", lambda match: " " * len(match[0]), parameters)):
        names = re.findall(r"[\w`]+", parameters[start:end].split(":")[0])
        names = [name for name in names if not name.startswith("escaping")]
        # A subscript has a label only if two names are written.
        labels.append("_" if word == "subscript" and len(names) < 2 else (names[0] if names else "_"))
    return labels
