#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a command while Package.resolved is out of the way: SwiftPM checks out each package that the file pins, also one
# that no trait asks for, so a build after one with traits would fetch all of them.
set -euo pipefail
aside=.build/Package.resolved.aside
mkdir -p .build
if [ -e Package.resolved ]; then mv Package.resolved "$aside"; fi
putBack() {
    rm -f Package.resolved
    if [ -e "$aside" ]; then mv "$aside" Package.resolved; fi
}
trap putBack EXIT
"$@"
