#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the tests that use descriptors, while copies.c keeps each descriptor open for 10 ms after its close. FILTER
# selects other tests, HOLD_MS another time.
set -euo pipefail
cd "$(dirname "$0")/../../.."
mkdir -p .build/checks
# -z now resolves symbols at load time, because a copy's stack is too small for the dynamic linker.
cc -Wl,-z,now -O1 -Wall -Wextra -Werror -shared -fPIC -o .build/checks/copies.so Tests/Checks/Copies/copies.c -lpthread
# In programs of these suites, threads dispose watches and then close the descriptors at once. If a descriptor has a duplicate, only the
# loop may do that (Docs/Threading.md).
[ -n "${FILTER-}" ] || echo 'skipped: RandomPrograms, ProgramsThatDiffered (their threads close descriptors of loops; make test runs them)'
# Run the program itself: below `swift test` it would be a child, and the library affects only the first program.
program=$(find "$(swift build --show-bin-path ${BUILD_FLAGS:-})" -maxdepth 1 -name '*PackageTests.xctest' | head -1)
Tests/Checks/tests.sh env LD_PRELOAD="$PWD/.build/checks/copies.so" "$program" --testing-library swift-testing \
    --filter "${FILTER:-^(ReactiveSocketsTests\\.|LoopTests\\.|GuestTests\\.|TraceTests\\.RandomRaces/)}"
