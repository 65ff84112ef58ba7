#!/bin/sh
# The smoke test; what it needs and what can be set is said in smoke.py.
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$(dirname "$0")/smoke.py"
