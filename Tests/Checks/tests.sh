#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs tests by the given command. Prints what was skipped, what failed and a summary. The full log is in .build/logs.
set -uo pipefail
mkdir -p .build/logs
log=$(mktemp ".build/logs/$(date +%Y-%m-%d-%H%M%S)-XXXX")
mv "$log" "$log.log"
log=$log.log
echo "testing; full log: $log"

# Swift Testing begins all tests at once. A task that a test awaits would then wait for minutes (Docs/Decisions/0066). With 6, the two
# CPUs of CI are busy although some tests wait.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-6}
# A test that hangs fails too.
timeout -k 60 "${TESTS_LIMIT:-3600}" "$@" >"$log" 2>&1 &
tests=$!
trap 'kill "$tests" 2>/dev/null' INT TERM
# A terminal shows the progress.
while [ -t 1 ] && kill -0 "$tests" 2>/dev/null; do
    printf '\r%s tests passed ' "$(grep -acE '^✔ Test .* passed' "$log")"
    sleep 1
done
[ -t 1 ] && printf '\r'
wait "$tests"
code=$?

grep -aE '^➜ .* skipped|^skipped: |^random programs: ' "$log" | sed 's/^➜ //' | sort -u
if [ "$code" -ne 0 ]; then
    echo "=== failures (exit $code)"
    grep -aE -A 4 'recorded an issue|Fatal error|Precondition failed|error: |WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer' \
        "$log" | head -120
    grep -aqE '^✘ Test run' "$log" || "$(dirname "$0")/crash.py" "$log"
fi
grep -aE '^[✔✘] Test run' "$log"
if [ "$code" -eq 0 ] && grep -aqE '^✔ Test run with 0 tests' "$log"; then
    echo "no test matches the filter" >&2
    code=1
fi
[ "$code" -eq 0 ] || echo "full log: $log"
exit "$code"
