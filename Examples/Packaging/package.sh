#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a Debian package of the examples with a static Swift runtime. TRAIT_FLAGS selects the traits, SWIFT the compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
programs=(echo-server key-value-server port-forward udp-echo http-server reverse-proxy web-chat)
scratch=.build/package
root=$scratch/root
# The same commit gives the same version and the same times of files.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
released=$(sed -nE 's/^## \[([0-9][^]]*)\].*/\1/p' Docs/CHANGELOG.md | head -1)
version="$released+git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).$(git rev-parse --short=8 HEAD)"
architecture=$(dpkg --print-architecture)

# The linker warns of mktemp in Swift's static Foundation, once for each program.
# shellcheck disable=SC2086
"${SWIFT:-swift}" build --quiet --package-path Examples -c release --static-swift-stdlib --scratch-path "$scratch/build" \
    $TRAIT_FLAGS 2>&1 | sed '/the use of .mktemp. is dangerous/d'

rm -rf "$root" "$scratch"/*.deb
install -d "$root/DEBIAN" "$root/usr/bin" "$root/lib/systemd/system" "$root/usr/share/doc/swift-reactive-examples"
for program in "${programs[@]}"; do
    install -s -m 755 "$scratch/build/release/$program" "$root/usr/bin/reactive-$program"
done
install -m 644 Examples/Packaging/systemd/* "$root/lib/systemd/system/"
install -m 755 Examples/Packaging/debian/{postinst,prerm,postrm} "$root/DEBIAN/"
install -m 644 LICENSE "$root/usr/share/doc/swift-reactive-examples/copyright"
install -m 644 Examples/Packaging/README.md "$root/usr/share/doc/swift-reactive-examples/README.md"
gzip -9n <Docs/CHANGELOG.md >"$root/usr/share/doc/swift-reactive-examples/changelog.gz"

# dpkg-shlibdeps finds the packages of the linked libraries. It reads a source package's control file.
mkdir -p "$scratch/source/debian"
printf 'Source: swift-reactive-examples\n\nPackage: swift-reactive-examples\nArchitecture: any\n' >"$scratch/source/debian/control"
binaries=("${programs[@]/#/$PWD/$root/usr/bin/reactive-}")
depends=$(cd "$scratch/source" && dpkg-shlibdeps -O "${binaries[@]}" 2>"$PWD/../shlibdeps.log" | sed -n 's/^shlibs:Depends=//p') ||
    { cat "$scratch/shlibdeps.log" >&2; exit 1; }
[ -n "$depends" ] || { echo "package: dpkg-shlibdeps named no dependency, although each program needs libc6" >&2; exit 1; }

cat >"$root/DEBIAN/control" <<CONTROL
Package: swift-reactive-examples
Version: $version
Section: net
Priority: optional
Architecture: $architecture
Maintainer: the swift-reactive authors <swift-reactive@example.invalid>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends
Description: event-driven network services in Swift
 An echo server, a key-value server for Redis clients, a port forwarder, an HTTP
 server, a reverse proxy and a web chat. Each runs on the event loop that its
 option --loop names: dispatch, libuv or libevent.
CONTROL
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
chmod -R go-w "$root"
dpkg-deb --root-owner-group -Zxz --build "$root" "$scratch/swift-reactive-examples_${version}_$architecture.deb"
