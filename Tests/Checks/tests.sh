#!/usr/bin/env bash
# Runs the tests by the command given, and says again at the end what failed: tests run side by side, so a failure stands
# somewhere in ten thousand lines.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
if [ "$code" -ne 0 ]; then
    echo "=== what failed (exit $code)"
    grep -aE -A 4 'recorded an issue|Fatal error|Precondition failed|WARNING: ThreadSanitizer|ERROR: AddressSanitizer' "$log" | head -120
    grep -aE '^✘ Test run' "$log"
fi
exit "$code"
