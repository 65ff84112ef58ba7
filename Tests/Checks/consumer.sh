#!/usr/bin/env bash
# README's first program, built with README's manifest by a package that depends on the committed state by URL and version.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=.build/consumer
rm -rf "$folder/repository.git" "$folder/Package.resolved"
mkdir -p "$folder/Sources/my-service"
git clone -q --bare . "$folder/repository.git"
git -C "$folder/repository.git" tag -f 0.1.0 HEAD >/dev/null
cp Examples/HelloEcho/main.swift "$folder/Sources/my-service/main.swift"
sed "s|https://github.com/OWNER/swift-reactive|file://$PWD/$folder/repository.git|; s|\(product.*package: \)\"swift-reactive\"|\1\"repository\"|" \
    Tests/Checks/Consumer/Package.swift >"$folder/Package.swift"
grep -q 'file://' "$folder/Package.swift" || { echo "consumer: the manifest names no URL to replace" >&2; exit 1; }
swift build --quiet --package-path "$folder"
echo "consumer: README's manifest and program build"
