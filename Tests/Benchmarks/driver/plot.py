# SPDX-License-Identifier: MIT
"""Plots as SVG without a library, readable on light and on dark backgrounds."""
import math
import os

from model import label

COLOURS = ["#2563eb", "#059669", "#d97706", "#9ca3af", "#6b7280", "#a855f7", "#dc2626", "#0891b2"]
DARK = ["#60a5fa", "#34d399", "#fbbf24", "#9ca3af", "#6b7280", "#c084fc", "#f87171", "#22d3ee"]
OF = {
    "dispatch": 0, "libuv": 1, "libevent": 2, "guest": 5, "ours": 0, "c-epoll": 3, "c-libuv": 4, "c-libevent": 3, "nio": 6,
    "OpenCombine": 6,
}


def style():
    rules = ["text { font: 12px sans-serif; fill: #1f2937 }", ".axis { stroke: #9ca3af; stroke-width: 1 }"]
    rules += [".grid { stroke: #e5e7eb; stroke-width: 1 }", ".title { font-weight: bold; font-size: 14px }"]
    rules += [".met { fill: #059669 }", ".missed { fill: #dc2626 }", ".at { stroke: #1f2937; stroke-width: 1.5; stroke-dasharray: 4 3 }"]
    for index, (light, _) in enumerate(zip(COLOURS, DARK)):
        rules.append(f".c{index} {{ stroke: {light}; fill: {light} }}")
    dark = ["text { fill: #e5e7eb }", ".grid { stroke: #374151 }", ".at { stroke: #e5e7eb }"]
    dark += [".met { fill: #34d399 }", ".missed { fill: #f87171 }"]
    dark += [f".c{index} {{ stroke: {colour}; fill: {colour} }}" for index, colour in enumerate(DARK)]
    return f"<style>{' '.join(rules)} @media (prefers-color-scheme: dark) {{ {' '.join(dark)} }}</style>"


def save(folder, name, width, height, parts):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}.svg")
    with open(path, "w") as file:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        file.write("\n".join([head, style(), *parts, "</svg>", ""]))
    return path


def text(x, y, content, anchor="start", kind=""):
    content = content.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{content}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def growth(results, folder, name, title, across, unit, row, counts, whos, metric):
    """Plots cost over count, on logarithmic axes."""
    series = {}
    for who in whos:
        points = [(count, results.median(f"{row} {count}", who, metric)) for count in counts]
        points = [(count, value) for count, value in points if value]
        if len(points) > 1:
            series[who] = points
    if not series:
        return None
    width, height, left, right, top, bottom = 720, 380, 70, 150, 40, 50
    values = [value for points in series.values() for _, value in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(counts[0]), math.log10(counts[-1])

    def x(count):
        return left + (math.log10(count) - first) / (last - first) * (width - left - right)

    def y(value):
        return height - bottom - (math.log10(value) - low) / max(1, high - low) * (height - top - bottom)

    parts = [text(left, 20, f"{title}, {unit}", kind="title")]
    for power in range(low, high + 1):
        parts += [line(left, y(10**power), width - right, y(10**power), "grid")]
        parts += [text(left - 8, y(10**power) + 4, f"{10**power:,}".replace(",", " ") if power >= 0 else f"{10**power}", "end")]
    for count in counts:
        parts += [line(x(count), height - bottom, x(count), height - bottom + 5, "axis")]
        parts += [text(x(count), height - bottom + 20, f"{count:,}".replace(",", " "), "middle")]
    parts += [text((left + width - right) / 2, height - 10, across, "middle")]
    ends = sorted(((y(points[-1][1]), who) for who, points in series.items()))
    place = -100.0
    for end, who in ends:
        points, colour = series[who], f"c{OF.get(who, 7)}"
        path = " ".join(f"{x(count):.1f},{y(value):.1f}" for count, value in points)
        dash = ' stroke-dasharray="6 3"' if who.startswith("c-") or who in ("nio", "OpenCombine") else ""
        parts.append(f'<polyline points="{path}" class="{colour}" style="fill: none" stroke-width="2"{dash}/>')
        parts += [f'<circle cx="{x(c):.1f}" cy="{y(v):.1f}" r="3" class="{colour}"/>' for c, v in points]
        # Labels that would overlap are moved apart.
        place = max(place + 15, end + 4)
        parts.append(text(width - right + 10, place, label(who)))
    return save(folder, name, width, height, parts)


def limits(part, results, folder, title):
    """Draws every limit as a bar: the measured value relative to the allowed one."""
    bars = []
    places = {}
    for limit in part.limits:
        places.setdefault(title(part, limit), len(places))
    for limit in sorted(part.limits, key=lambda limit: places[title(part, limit)]):
        value = results.measured(limit)
        if value is None or limit.most <= 0:
            continue
        share = limit.most / value if limit.is_least and value else value / limit.most
        bars.append((f"{title(part, limit)} · {label(limit.who.split(' x ')[0])}", share))
    if not bars:
        return None
    width, left, row_height, top = 900, 470, 16, 50
    height, scale = top + row_height * len(bars) + 20, (width - left - 80) / 2
    parts = [text(10, 20, f"{part.title}: measured, as a part of the limit", kind="title")]
    for index, (name, share) in enumerate(bars):
        y = top + index * row_height
        parts.append(text(left - 8, y + 11, name[:78], "end"))
        length = min(share, 2) * scale
        size = f'width="{max(1, length):.1f}" height="{row_height - 4}"'
        parts.append(f'<rect x="{left}" y="{y + 2}" {size} class="{"met" if share <= 1 else "missed"}"/>')
        parts.append(text(left + length + 5, y + 11, f"{share:.2f}"))
    parts.append(line(left + scale, top - 6, left + scale, height - 14, "at"))
    parts.append(text(left + scale, top - 12, "limit", "middle"))
    return save(folder, part.name, width, height, parts)
