#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every strategy with every kind of work, so many executions each: what is let in is exact, and memory flat, or it fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
for strategy in serial concurrent unlimited queue dropping wide latest; do
    for work in function signal pool; do
        echo "$strategy, $work:"
        .build/release/CommandLoad load "$strategy" "$work" "$1"
    done
done
