#!/usr/bin/env bash
# Builds the documentation pages of every module, without a plugin in the manifest: symbol graphs, then docc.
set -euo pipefail
cd "$(dirname "$0")/../.."
graphs=.build/symbol-graphs
rm -rf "$graphs" .build/docs
mkdir -p "$graphs" .build/docs
swift build --scratch-path .build/docs-build -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
for module in ReactiveCore ReactiveSignals ReactiveCommands SchedulerEngine SchedulerDispatch SchedulerLibuv SchedulerLibevent ReactiveSockets ReactiveTesting; do
    [ -f "$graphs/$module.symbols.json" ] || { echo "docs: no symbols of $module" >&2; exit 1; }
    mkdir -p "$graphs/$module"
    cp "$graphs/$module"*.symbols.json "$graphs/$module/"
    catalog=Sources/$module/$module.docc
    docc convert $([ -d "$catalog" ] && echo "$catalog") --additional-symbol-graph-dir "$graphs/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "swift-reactive.$module" \
        --output-path ".build/docs/$module.doccarchive" >/dev/null
    echo ".build/docs/$module.doccarchive"
done
