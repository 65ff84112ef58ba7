# SPDX-License-Identifier: MIT
"""Writes Docs/Performance.md. Each part is a section between two marks, so that one part can be replaced."""
import os
import re
import textwrap

import places
import plot
from model import label

PAGE = os.path.join(places.ROOT, "Docs", "Performance.md")
PLOTS = os.path.join(places.ROOT, "Docs", "Performance")
HEAD = """# Performance

This page compares the costs of connections, TLS, HTTP, timers, hops between threads, signals and commands with programs in C and with other
libraries. `make bench` measures everything on your machine and writes this page. `make bench-echo`, `bench-tls`, `bench-http`,
`bench-timers`, `bench-hops`, `bench-signals`, `bench-commands` and `bench-growth` write only their section. The compared programs take turns in the same run, each
in its own process. A cell contains the median of the measured values. *×* compares a cell with the first column that has no *×*: it is
the median of the ratios in all turns. *±* is half of the interquartile range, if it exceeds 5 %. If *±* is large, the machine was busy
with other work. Then compare CPU times and instruction counts instead. `make guards` compares allocations, system calls, instructions
and memory with the limits in `Tests/Benchmarks/limits.json`.
"""
ORDER = ["echo", "tls", "web", "timers", "hops", "signals", "growth", "commands"]


def number(value, digits=0):
    if value is None:
        return "–"
    text = f"{value:,.{digits}f}".replace(",", " ")
    return text[1:] if text.startswith("-") and not text.strip("-0. ") else text.replace("-", "−")


def wrapped(text):
    """Prose in lines of at most 140 characters. Tables stay as they are."""
    lines = text.split("\n")
    fill = textwrap.TextWrapper(140, break_long_words=False, break_on_hyphens=False).fill
    return "\n".join(line if line.startswith("|") else fill(line) for line in lines)


def cell(results, column, who):
    value = results.median(column.row, who, column.metric)
    if value is None:
        return "–"
    text = number(value, column.digits)
    if column.reference and who != column.reference:
        ratio = results.ratio(column.row, who, column.reference, column.metric)
        if ratio is not None:
            text += f" ×{ratio:,.2f}".replace(",", " ") if ratio < 100 else f" ×{ratio:,.0f}".replace(",", " ")
    spread = results.spread(column.row, who, column.metric)
    if spread is not None and spread > 0.05:
        text += f" ±{spread * 100:.0f}%"
    return text


def table(results, spec):
    whos = [who for who in spec.whos if any(results.values(c.row, who, c.metric) for c in spec.columns)]
    columns = [c for c in spec.columns if any(results.values(c.row, who, c.metric) for who in whos)]
    if not columns:
        return []
    lines = [f"**{spec.title}**", "", "| | " + " | ".join(label(who) for who in whos) + " |"]
    lines.append("|---|" + "---|" * len(whos))
    for column in columns:
        lines.append(f"| {column.title} | " + " | ".join(cell(results, column, who) for who in whos) + " |")
    if spec.note:
        lines += ["", wrapped(spec.note)]
    return [*lines, ""]


# Used if the title does not say it already.
METRICS = {"cpu_ns": "CPU ", "ns": "time "}


def title(part, row, metric):
    """The title of a figure in the tables, or else its row."""
    columns = [column for spec in part.tables for column in spec.columns if column.row == row]
    exact = [column.title for column in columns if column.metric == metric]
    return (exact or [column.title for column in columns] or [row])[0]


def words(part, limit):
    sign = "≥" if limit.is_least else "≤"
    if limit.against_row and limit.against == limit.who:
        bound = f"{sign} {limit.most:g} × that of {title(part, limit.against_row, limit.metric)}"
    elif limit.is_difference:
        bound = f"{sign} {label(limit.against)} + {limit.most:g}"
    elif limit.against:
        bound = f"{sign} {limit.most:g} × {label(limit.against)}"
    else:
        unit = " ns" if limit.metric in ("ns", "cpu_ns") else ""
        bound = f"{sign} {limit.most:g}{unit}"
    return METRICS.get(limit.metric, "") + bound


def limits(part, results):
    """Returns a line for each limit, with the loops side by side."""
    rows = {}
    for limit in part.limits:
        what = (title(part, limit.row, limit.metric), words_of_loops(part, limit), limit.is_least)
        rows.setdefault(what, []).append(limit)
    lines, met, missed = [], 0, 0
    for (row, bound, _), group in rows.items():
        cells = []
        for limit in group:
            value, is_met = results.measured(limit), results.is_met(limit)
            if is_met is None:
                continue
            met, missed = met + is_met, missed + (not is_met)
            text = number(value, 0 if limit.is_difference or not limit.against and value >= 10 else 2)
            cells.append(f"{label(limit.who.split(' x ')[0])} {text if is_met else f'**{text} ✗**'}")
        if cells:
            lines.append(f"| {row} | {bound} | {', '.join(cells)} |")
    if not lines:
        return []
    head = [f"**Limits: {met} met, {missed} missed (✗)**", "", "| | limit | measured |", "|---|---|---|"]
    return [*head, *lines, ""]


def words_of_loops(part, limit):
    text = words(part, limit)
    # Each loop is compared with the C program on its own library, or with itself on one loop.
    if limit.against in ("c-epoll", "c-libuv", "c-libevent") and part.name == "echo" and "16 KiB" in limit.row:
        return f"CPU ≤ {limit.most:g} × the readiness server in C on the same library"
    if limit.against and limit.against.endswith(" x 1"):
        return f"≥ {limit.most:g} × one loop"
    return text


def section(part, results, machine):
    lines = [f"<!-- {part.name} -->", f"## {part.title}", "", wrapped(part.intro), ""]
    lines += [
        wrapped(
            f"{machine['date']}, revision {machine['revision']}, {machine['rounds']} rounds. {machine['machine']}. {machine['versions']}."
        ),
        "",
    ]
    lines += limits(part, results)
    for spec in part.tables:
        lines += table(results, spec)
    for spec in part.plots:
        path = plot.growth(results, PLOTS, *spec)
        if path:
            lines += [f"![{spec[1]}](Performance/{os.path.basename(path)})", ""]
    path = plot.limits(part, results, PLOTS, lambda part, limit: title(part, limit.row, limit.metric))
    if path:
        lines += [f"![{part.title}: measured, as a part of the limit](Performance/{os.path.basename(path)})", ""]
    if part.closing and part.closing(results):
        lines += [wrapped(part.closing(results)), ""]
    lines.append(f"<!-- end of {part.name} -->")
    return "\n".join(lines)


def write(sections):
    """Replaces the given sections of the page. A page without sections is created."""
    try:
        with open(PAGE) as file:
            old = file.read()
    except OSError:
        old = ""
    kept = dict(re.findall(r"(?s)<!-- (\w+) -->\n(.*?)\n<!-- end of \1 -->", old))
    kept = {name: f"<!-- {name} -->\n{text}\n<!-- end of {name} -->" for name, text in kept.items()}
    kept.update(sections)
    ordered = [kept[name] for name in ORDER if name in kept]
    tail = old.split("<!-- by hand -->", 1)[1] if "<!-- by hand -->" in old else ""
    with open(PAGE, "w") as file:
        file.write("\n".join([HEAD, *(text + "\n" for text in ordered)]))
        if tail:
            file.write(f"\n<!-- by hand -->{tail}")
