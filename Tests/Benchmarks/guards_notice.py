#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the guards: the last measurements exceed half of the limits, and each planted excess is reported by name."""
import copy
import json
import os
import sys

sys.dont_write_bytecode = True
import guards  # noqa: E402
import places  # noqa: E402

with open(os.path.join(places.OUT, "guards.json")) as file:
    figures = json.load(file)
with open(guards.LIMITS) as file:
    limits = json.load(file)

planted = 0
for row, metrics in limits["rows"].items():
    for metric, value in metrics.items():
        worse = copy.deepcopy(figures)
        worse[row][metric] = max(2 * guards.allowed(limits, row, metric, value, 1), value + 1)
        lines = guards.excesses(limits, worse)
        name = metric.replace("_", " ")
        if not any(line.startswith(f"{row}: ") and f" {name} {guards.per(metric)}" in line for line in lines):
            sys.exit(f"a planted excess was not reported: {row}, {metric}")
        planted += 1
if not guards.excesses(limits, figures, scale=0.5):
    sys.exit("the measurements pass half of the limits, so the limits are too high")
if not guards.excesses(limits, {}):
    sys.exit("limits without figures pass")
print(f"guards: {planted} planted excesses reported")
