#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds packages that depend on the committed state by URL and version. Traits are compiled into every module, so each
# set of traits compiles the package once: none, only Libuv, and all. A manifest for each set consists of the lines of the
# product pages' manifests, and builds the program beside each of them in Swift 5 and in Swift 6 mode. README's manifest,
# as printed, builds its program. With GALLERY=1 it also builds the gallery (Docs/Gallery.md), which is then run.
set -euo pipefail
cd "$(dirname "$0")/../.."
checks=$PWD/Tests/Checks/Consumer
work=$PWD/.build/consumer
scratch=$work/build
fail() { echo "consumer: $1" >&2; exit 1; }

# The tag moves with each commit, so nothing of an earlier clone may remain.
mkdir -p "$work"
rm -rf "$work"/swift-reactive* "$work/package" "$work/security" "$scratch"/repositories/swift-reactive-* \
    "$scratch/checkouts/swift-reactive" "$scratch/workspace-state.json"
git clone -q --bare . "$work/swift-reactive.git"
git -C "$work/swift-reactive.git" tag -f 0.1.0 HEAD >/dev/null
all='"Libuv", "Libevent", "NATS", "TLS", "Logging", "Metrics", "ServiceLifecycle", "HTTP", "Tracing", "CAres"'

# The manifest as the page prints it, but with the address of the clone.
manifest() { sed "s|https://github.com/OWNER/swift-reactive|file://$work/swift-reactive.git|" "$checks/$1/Package.swift"; }
run() {
    Tests/Checks/build.sh swift build --disable-index-store --quiet --package-path "$work/package" --scratch-path "$scratch" --disable-dependency-cache --security-path "$work/security"
}
# Writes the manifest on standard input into an empty folder.
begin() {
    # The programs use the same target name, so an object of the previous program may look newer than this program.
    rm -rf "$work/package" "$scratch"/*/debug/my_service.build "$scratch"/*/debug/my-service
    mkdir -p "$work/package"
    cat >"$work/package/Package.swift"
    grep -q 'file://' "$work/package/Package.swift" || fail "the manifest of $1 names no URL to replace"
}
# Adds a program as the source of a target.
add() {
    mkdir -p "$work/package/Sources/$2"
    cp "$1" "$work/package/Sources/$2/main.swift"
}
finish() {
    run >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$1 does not build"; }
    echo "consumer: $1"
}
# README's manifest, with its target repeated for each name.
repeated() {
    manifest README | sed '/^    targets: \[$/q'
    for target in "$@"; do
        manifest README | sed -n '/^        \.executableTarget($/,/^        )$/p' |
            sed "s/name: \"my-service\"/name: \"$target\"/; s/^        )$/        ),/"
    done
    printf '    ]\n)\n'
}
# Each program of the gallery is one file, for which README's manifest is sufficient. One program is also built for
# libuv: two words differ.
readme() {
    local label="README" programs
    begin "$label" < <(repeated my-service)
    add "$checks/README/main.swift" my-service
    finish "$label, Libuv alone, Swift 6"
    [ -n "${GALLERY:-}" ] || return 0
    label="the gallery"
    programs=$(basename -a $(dirname Examples/Gallery/*/main.swift))
    begin "$label" < <(repeated my-service $programs line-server-on-libuv)
    add "$checks/README/main.swift" my-service
    for program in $programs; do add "Examples/Gallery/$program/main.swift" "$program"; done
    sed 's/Dispatch/Libuv/g' Examples/Gallery/line-server/main.swift >"$work/on-libuv.swift"
    add "$work/on-libuv.swift" line-server-on-libuv
    finish "$label, Libuv alone, Swift 6"
    SMOKE_BINARIES="$scratch/debug" SMOKE_LOOPS=dispatch PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/gallery.py >"$work/log" ||
        { cat "$work/log" >&2; fail "a program of the gallery does not run"; }
}
# Builds the given programs together, with the dependencies of their own manifests and the given traits.
together() {
    local label=$1 traits=$2 mode; shift 2
    begin "$label" < <(
        echo '// swift-tools-version: 6.2'
        echo 'import PackageDescription'
        echo 'let package = Package(name: "together", dependencies: ['
        echo "    .package(url: \"file://$work/swift-reactive.git\", from: \"0.1.0\", traits: [$traits]),"
        for program in "$@"; do grep -E '\.package\(url' "$checks/$program/Package.swift"; done |
            grep -v OWNER | sed 's/,$//; s/$/,/' | sort -u || true
        echo '], targets: ['
        for program in "$@"; do
            for mode in 5 6; do
                echo "    .executableTarget(name: \"$program-in-$mode\", dependencies: ["
                grep '\.product(' "$checks/$program/Package.swift" | sed 's/,$//; s/$/,/'
                echo "    ], swiftSettings: [.swiftLanguageMode(.v$mode)]),"
            done
        done
        echo '])'
    )
    for program in "$@"; do for mode in 5 6; do add "$checks/$program/main.swift" "$program-in-$mode"; done; done
    finish "$label"
}
# A build that must fail. The compiler must reject each marked line of the program, and no other line, with the text
# that follows the mark.
refused() {
    local program=$checks/MissingTraits/main.swift count=0
    mkdir -p "$work/package/Sources/missing"
    rm -rf "$work/package/Sources"/*
    mkdir "$work/package/Sources/missing"
    cp "$program" "$work/package/Sources/missing/main.swift"
    {
        echo '// swift-tools-version: 6.2'
        echo 'import PackageDescription'
        echo "let package = Package(name: \"missing\", dependencies: [.package(url: \"file://$work/swift-reactive.git\", from: \"0.1.0\")],"
        echo '    targets: [.executableTarget(name: "missing", dependencies: ['
        sed -nE 's/^import ([A-Za-z]+)$/        .product(name: "\1", package: "swift-reactive"),/p' "$program"
        echo '    ])])'
    } >"$work/package/Package.swift"
    if run >"$work/log" 2>&1; then fail "uses of what needs a trait compile without it"; fi
    while IFS=: read -r line text; do
        grep -E "main\.swift:$line:[0-9]+: error: " "$work/log" | head -1 | grep -qF -- "${text#*// rejected: }" ||
            { cat "$work/log" >&2; fail "line $line of $program is to be refused first with: ${text#*// rejected: }"; }
        count=$((count + 1))
    done < <(grep -n '// rejected: ' "$program")
    others=$(grep -oE 'main\.swift:[0-9]+:[0-9]+: error: ' "$work/log" | cut -d: -f2 | sort -un | wc -l)
    [ "$others" -eq $count ] || { cat "$work/log" >&2; fail "$others lines are refused, not $count"; }
    echo "consumer: $count uses without their trait are refused, and the message names the trait"
}

plain=() libuv=() traited=()
for folder in "$checks"/*/Package.swift; do
    product=$(basename "$(dirname "$folder")")
    [ "$product" = README ] && continue
    # A product page names the trait that its module needs.
    trait=$(find "Sources/$product" -name '*.swift' -exec grep -hxE '#if [A-Z][A-Za-z]+' {} + | sed 's/#if //' | sort -u || true)
    # The kit only omits the rules of TLS.
    [ "$product" != SchedulerConformance ] || trait=
    # The page's manifest, as printed, names each package that its target uses.
    swift package --package-path "$(dirname "$folder")" dump-package >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; fail "$folder is not a manifest"; }
    while read -r package; do
        grep -qE "\.package\(url: \"[^\"]*/$package\"" "$folder" || fail "$folder uses $package, but does not depend on it"
    done < <(sed -nE 's/.*\.product\(.*package: "([^"]+)".*/\1/p' "$folder" | sort -u)
    named=$(sed -nE 's/.*OWNER.*traits: \[(.*)\].*/\1/p' "$folder")
    [ "$named" = "${trait:+\"$trait\"}" ] || fail "$folder names the traits '$named', and the module needs '$trait'"
    case "$trait" in
        "") plain+=("$product") ;;
        Libuv) libuv+=("$product") ;;
    esac
    [ -z "$trait" ] || traited+=("$product")
done

# Without traits.
together "${#plain[@]} products, no traits, Swift 5 and 6" "" "${plain[@]}"
refused
# README's first program, as printed, and with the stricter imports of this project.
readme
manifest README >"$work/printed"
cmp -s "$work/printed" <(repeated my-service | sed 's/^        ),$/        )/') || fail "README's manifest has more than its target repeats"
sed -i 's/^    targets: \[$/    targets: ([/; s/^    \]$/    ] as [Target]).map { $0.swiftSettings = [.enableUpcomingFeature("MemberImportVisibility")]; return $0 }/' "$work/package/Package.swift"
finish "${GALLERY:+the gallery and }README, Libuv alone, Swift 6, MemberImportVisibility"
together "${#libuv[@]} product, Libuv alone, Swift 5 and 6" '"Libuv"' "${libuv[@]}"
# All traits at once.
together "${#traited[@]} products, all traits, Swift 5 and 6" "$all" "${traited[@]}"
