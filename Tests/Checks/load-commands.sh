#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every strategy of Command with every kind of work, $1 executions each. Fails if the number of accepted executions
# is not exact, or if memory grows.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(swift build --show-bin-path ${BUILD_FLAGS:-})/CommandLoad
for strategy in serial concurrent unlimited queue dropping wide latest; do
    for work in function signal pool; do
        echo "$strategy, $work:"
        "$program" load "$strategy" "$work" "$1"
    done
done
