#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the smoke test. smoke.py documents its requirements and settings.
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$(dirname "$0")/smoke.py"
