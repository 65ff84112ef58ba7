#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks that the compiler type-checks each expression of ordinary programs with signals in less than a second.
set -euo pipefail
cd "$(dirname "$0")/../.."
limit=${1:-1000}
Tests/Checks/build.sh swift build ${BUILD_FLAGS:-} --target ReactiveSignals >/dev/null
modules=$(swift build ${BUILD_FLAGS:-} --show-bin-path)/Modules
for file in Tests/Checks/TypeChecking/*.swift; do
    # The printed time is that of the whole file, including the start of the compiler. The limit applies to each
    # expression.
    start=$(date +%s%N)
    swiftc -typecheck -swift-version 6 -I "$modules" -Xcc -fmodule-map-file=Sources/CReactive/include/module.modulemap \
        -Xcc -ISources/CReactive/include -Xfrontend -warn-long-expression-type-checking="$limit" \
        -Xfrontend -warn-long-function-bodies="$limit" -warnings-as-errors "$file"
    echo "typecheck: $(basename "$file" .swift) in order, $(( ($(date +%s%N) - start) / 1000000 )) ms in all"
done
