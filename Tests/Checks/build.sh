#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the given build command, and once more if a signal of a crash ended it. SwiftPM itself has crashed, in
# libdispatch, while it had nothing to compile. An error of the compiler, also its crash, gives the code 1 and is final.
set -uo pipefail
"$@"
code=$?
case $code in
132 | 133 | 134 | 135 | 136 | 139)
    echo "build: signal $((code - 128)) ended \`$*\`; it runs once more" >&2
    "$@"
    ;;
*) exit "$code" ;;
esac
