#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the documentation of every product into .build/docs: a DocC archive each. A warning is an error.
# The symbols come from the modules of the build of the tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/Checks/build.sh swift build --quiet --build-tests ${BUILD_FLAGS:-}
bin=$(swift build --show-bin-path ${BUILD_FLAGS:-})
rm -rf .build/docs .build/docs-catalogs .build/symbol-graphs

extract() {
    mkdir -p ".build/symbol-graphs/$1"
    local maps=()
    for map in Sources/C*/module.modulemap Sources/C*/include/module.modulemap; do maps+=(-Xcc "-fmodule-map-file=$map"); done
    swift symbolgraph-extract -module-name "$1" -I "$bin/Modules" -target "$(uname -m)-unknown-linux-gnu" \
        -minimum-access-level public -emit-extension-block-symbols -output-dir ".build/symbol-graphs/$1" "${maps[@]}" -Xcc -ISources/CReactive/include
}
convert() {
    docc convert "$catalog" --additional-symbol-graph-dir ".build/symbol-graphs/$module" --warnings-as-errors \
        --fallback-display-name "$module" --fallback-bundle-identifier "swift-reactive.$module" \
        --output-path ".build/docs/$module.doccarchive" "$@" >".build/docs/$module.log" 2>&1 ||
        { echo "docs: $module" >&2; cat ".build/docs/$module.log" >&2; exit 1; }
}

mkdir -p .build/docs
products=$(sed -nE '/^    products: \[/,/^    \]/s/"//gp' Package.swift | grep -oE '\b(Reactive|Scheduler)[A-Za-z]*')
for module in $products; do
    [ -d "Sources/$module/$module.docc" ] || { echo "docs: $module has no DocC catalogue" >&2; exit 1; }
    extract "$module"
    # Pages written by hand, and the marble diagrams, which come from test runs.
    catalog=.build/docs-catalogs/$module.docc
    mkdir -p .build/docs-catalogs
    cp -r "Sources/$module/$module.docc" "$catalog"
    case "$module" in
    ReactiveCommands) "$bin/marble-pictures" strategies "$catalog/Pictures" ;;
    ReactiveSignals)
        # The first conversion shows the page of each operator.
        convert
        "$bin/marble-pictures" operators "$catalog/Pictures" \
            ".build/docs/$module.doccarchive/data/documentation/reactivesignals/signal"
        ;;
    esac
    convert
    echo ".build/docs/$module.doccarchive"
done
