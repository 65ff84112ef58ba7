#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks that a program which uses ReactiveCore, ReactiveSockets and SchedulerDispatch links neither Foundation nor a C
# library of a trait, even if the traits of the examples are enabled.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=(Tests/Checks/build.sh swift build --package-path Tests/LinkageCheck --scratch-path Examples/.build --disable-index-store -c release)
"${build[@]}"
program=$("${build[@]}" --show-bin-path)/LinkageCheck
linked=$(ldd "$program")
if grep -E 'libFoundation|lib_Foundation|libuv|libevent|libssl|libcrypto' <<<"$linked"; then
    echo "linkage: the libraries above must not be linked" >&2
    exit 1
fi
"$program"
echo "linkage: neither Foundation nor libuv nor libevent nor OpenSSL"
