#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks that unsafe code does not compile: uses of signals with data races, and arithmetic with unchecked integers from
# the network. The compiler must reject each marked line in Rejected with the text that follows the mark. The safe forms
# in Accepted must compile.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/Checks/build.sh swift build ${BUILD_FLAGS:-} --target ReactiveSockets >/dev/null
modules=$(swift build ${BUILD_FLAGS:-} --show-bin-path)/Modules
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
# With -c, because the compiler detects errors of regions only when it generates code.
compile() {
    swiftc -c -parse-as-library -swift-version 6 -I "$modules" -Xcc -ISources/CReactive/include \
        -Xcc -fmodule-map-file=Sources/CReactive/include/module.modulemap -o "$output/object.o" "$1" 2>&1
}
for file in Tests/Checks/Accepted/*.swift; do
    compile "$file" || { echo "rejected: $file must compile" >&2; exit 1; }
done
count=0
for file in Tests/Checks/Rejected/*.swift; do
    if compile "$file" >"$output/messages"; then
        echo "rejected: $file compiles" >&2
        exit 1
    fi
    grep -E '^[^ ]+\.swift:[0-9]+:[0-9]+: error:' "$output/messages" >"$output/errors" || true
    while IFS=: read -r line text; do
        reason=${text#*// rejected: }
        if ! grep -E "^[^ ]*$(basename "$file"):$line:" "$output/errors" | grep -qF -- "$reason"; then
            printf 'rejected: %s:%s must be rejected with "%s"; the compiler said:\n' "$file" "$line" "$reason" >&2
            cat "$output/messages" >&2
            exit 1
        fi
        count=$((count + 1))
        # Errors that are left at the end were not expected.
        sed -i "/$(basename "$file"):$line:/d" "$output/errors"
    done < <(grep -n '// rejected: ' "$file")
    if [ -s "$output/errors" ]; then
        echo "rejected: $file has other errors:" >&2
        cat "$output/errors" >&2
        exit 1
    fi
done
echo "rejected: $count unsafe uses do not compile"
