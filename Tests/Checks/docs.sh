#!/usr/bin/env bash
# Builds the documentation pages of every module, without a plugin in the manifest: symbol graphs, then docc.
set -euo pipefail
cd "$(dirname "$0")/../.."
graphs=.build/symbol-graphs
# The graphs stay: a module that has not changed is not compiled, and writes none.
rm -rf .build/docs
mkdir -p "$graphs" .build/docs
swift build ${TRAIT_FLAGS:-} --scratch-path .build/docs-build -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
convert() {
    docc convert "$catalog" --additional-symbol-graph-dir "$graphs/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "swift-reactive.$module" \
        --output-path ".build/docs/$module.doccarchive" >/dev/null
}
for module in ReactiveCore ReactiveSignals ReactiveCommands SchedulerEngine SchedulerDispatch SchedulerLibuv SchedulerLibevent \
    ReactiveSockets ReactiveTesting SchedulerConformance; do
    [ -f "$graphs/$module.symbols.json" ] || { echo "docs: no symbols of $module" >&2; exit 1; }
    rm -rf "${graphs:?}/$module"
    mkdir -p "$graphs/$module"
    cp "$graphs/$module"*.symbols.json "$graphs/$module/"
    # What is written by hand, and what is drawn from what happened.
    catalog=.build/docs-catalogs/$module.docc
    rm -rf "$catalog"
    mkdir -p "$catalog"
    if [ -d "Sources/$module/$module.docc" ]; then cp -r "Sources/$module/$module.docc/." "$catalog/"; fi
    if [ "$module" = ReactiveCommands ]; then .build/docs-build/debug/marble-pictures strategies "$catalog/Pictures"; fi
    convert
    if [ "$module" = ReactiveSignals ]; then
        # Once more with the pictures: which pages there are for them is known now.
        .build/docs-build/debug/marble-pictures operators "$catalog/Pictures" \
            ".build/docs/$module.doccarchive/data/documentation/reactivesignals/signal"
        convert
    fi
    echo ".build/docs/$module.doccarchive"
done
