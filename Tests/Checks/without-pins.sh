#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a command without Package.resolved. SwiftPM checks out each package that this file pins, even if no trait needs
# it. So a build without traits, after one with traits, would fetch all of them.
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
