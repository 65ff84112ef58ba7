#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a build command. If a crash of SwiftPM itself ended it, runs it once more: that has happened in libdispatch, while there was
# nothing to compile. If the compiler fails or crashes, SwiftPM exits with 1, so the build is not repeated.
set -uo pipefail
code=0
"$@" || code=$?
case $code in
# 128 and the number of SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE or SIGSEGV.
132 | 133 | 134 | 135 | 136 | 139)
    echo "build: signal $((code - 128)) ended \`$*\`; it runs once more" >&2
    "$@"
    ;;
*) exit "$code" ;;
esac
