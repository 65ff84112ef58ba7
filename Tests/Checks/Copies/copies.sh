#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tests that use descriptors, each of which stays open for 10 ms after its close (copies.c): FILTER, HOLD_MS.
set -euo pipefail
cd "$(dirname "$0")/../../.."
mkdir -p .build/checks
# Bound at once: the dynamic linker has no place on a holder's stack.
cc -Wl,-z,now -O1 -Wall -Wextra -Werror -shared -fPIC -o .build/checks/copies.so Tests/Checks/Copies/copies.c -lpthread
# The program itself, not `swift test`, whose children it would be.
program=$(find .build/debug/ -maxdepth 1 -name '*PackageTests.xctest' | head -1)
Tests/Checks/tests.sh env LD_PRELOAD="$PWD/.build/checks/copies.so" "$program" --testing-library swift-testing \
    --filter "${FILTER:-ReactiveSocketsTests|LoopTests|GuestTests|TraceTests}"
