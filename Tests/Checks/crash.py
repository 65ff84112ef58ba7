#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says how a test program ended that printed no summary: crash.py LOG.

Prints the tests that had not ended, and the stack of the thread that crashed. A log without a crash ends with its last lines.
"""

import re
import sys

FRAMES = 30

with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
    lines = [line.rstrip() for line in log]

running: dict[str, None] = {}
for line in lines:
    if match := re.match(r"◇ Test (\S.*) started\.$", line):
        if not match[1].startswith(("run", "case ")):
            running[match[1]] = None
    elif match := re.match(r"[✔✘] Test (.+?)(?: with \d+ test cases)? (?:passed|failed) after", line):
        running.pop(match[1], None)

print("=== the test program ended without a summary")
for name in running:
    print(f"had not ended: {name}")
print(*[line for line in lines if re.search(r"Fatal|Program crashed|\*\*\* Signal", line)][:5], sep="\n")
crash = next((place for place, line in enumerate(lines) if re.match(r"Thread \d+ .*crashed:", line)), None)
if crash is None:
    print("its last lines:", *lines[-30:], sep="\n")
else:
    stack = []
    for line in lines[crash + 1 :]:
        if re.match(r"Thread \d+|Registers:", line):
            break
        if match := re.match(r"\s*\d+ .*?0x[0-9a-f]+ (.*)", line):
            stack.append(match[1])
    print("the stack of the thread that crashed:", *stack[:FRAMES], sep="\n  ")
