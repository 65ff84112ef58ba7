#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks the conversions of integers from the network. `WireInteger` has no arithmetic, so the compiler rejects a
# calculation with one. This check finds integers that do not come from a `WireInteger`. In the folders of parsers,
# every conversion must say what happens to a value that does not fit: exactly, clamping, truncatingIfNeeded; decimal
# and hexadecimal return nil. Otherwise a comment at its end must say why every value fits: `// checked: …`.
set -uo pipefail
cd "$(dirname "$0")/../.."
conversion='(?<![A-Za-z0-9_.])(U?Int(8|16|32|64|128)?|numericCast)(\.init)?\((?!(exactly|clamping|truncatingIfNeeded|decimal|hexadecimal|ascii|littleEndian|bigEndian|bitPattern):)'
folders=(Sources/ReactiveNATS Sources/ReactiveHTTP/Parsing Sources/ReactiveSockets/Framing Sources/ReactiveSockets/Bytes Sources/ReactiveSockets/ProxyProtocol)
[ $# -gt 0 ] && folders=("$@")
if grep -rnP "$conversion" --include='*.swift' "${folders[@]}" | grep -vE '// checked: .|^[^:]*:[0-9]+: *//'; then
    echo "wire-integers: an integer is converted without a check (see above): use WireInteger, or say exactly, clamping or truncatingIfNeeded" >&2
    exit 1
fi
# Check that the search still finds such conversions.
notice=$(mktemp --suffix=.swift)
trap 'rm -f "$notice"' EXIT
printf 'let left = Int(text)\nlet all = values.map { Int32($0.count) }\nlet fits = Int(exactly: number)\n' >"$notice"
[ "$(grep -cP "$conversion" "$notice")" = 2 ] || { echo "wire-integers: the search finds nothing any more" >&2; exit 1; }
echo "wire-integers: every conversion says what it does"
