#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the public API of every product with the commit in api-baseline.txt, and fails if a change breaks it.
# Arguments are passed on: `--products ReactiveCore` compares one product.
# api-breakages.txt, if it exists, lists intended breakages: the exact messages of this check, one on each line.
set -euo pipefail
cd "$(dirname "$0")/../.."
checks=Tests/Checks
work=$PWD/.build/api-check
fail() { printf 'api-check: %s\n' "$@" >&2; exit 1; }
# Prints the lines of a file without comments and blank lines.
entries() { grep -vE '^[[:space:]]*(#|$)' "$1" || true; }

revision=$(entries $checks/api-baseline.txt)
[[ $revision =~ ^[0-9a-f]{40}$ ]] || fail "$checks/api-baseline.txt must contain one full commit hash, and contains '$revision'"
if ! git cat-file -e "$revision^{commit}" 2>/dev/null; then
    advice="run git fetch, or correct $checks/api-baseline.txt"
    [ "$(git rev-parse --is-shallow-repository)" = false ] || advice="the clone is shallow, so run git fetch --unshallow"
    fail "the baseline $revision is not in this clone: $advice"
fi

# SwiftPM builds the baseline with its default traits, and ignores --traits for it. Without traits, SchedulerLibuv and
# other modules are empty, so no change of them would count as a breakage. So the baseline is a commit outside of all
# branches. Its manifest enables the same traits by default. Its name, dates and parent are fixed, so its hash depends
# only on the revision and the traits.
mkdir -p "$work"
manifest=$(git show "$revision:Package.swift")
enabled=
for trait in $(sed -nE 's/.*--traits ([^ ]+).*/\1/p' <<<"${TRAIT_FLAGS:-}" | tr , ' '); do
    # A trait that is newer than the baseline has no API in the baseline.
    if grep -qF ".trait(name: \"$trait\"" <<<"$manifest"; then enabled+="\"$trait\", "; fi
done
empty='.default(enabledTraits: [])'
[[ $manifest == *"$empty"* ]] || fail "the manifest of $revision does not contain '$empty'"
blob=$(git hash-object -w --stdin <<<"${manifest/"$empty"/.default(enabledTraits: [${enabled%, }])}")
export GIT_INDEX_FILE=$work/index
git read-tree "$revision"
git update-index --cacheinfo "100644,$blob,Package.swift"
tree=$(git write-tree)
unset GIT_INDEX_FILE
baseline=$(
    export GIT_AUTHOR_NAME=api-check GIT_AUTHOR_EMAIL=- GIT_AUTHOR_DATE='@0 +0000'
    export GIT_COMMITTER_NAME=api-check GIT_COMMITTER_EMAIL=- GIT_COMMITTER_DATE='@0 +0000'
    git commit-tree "$tree" -p "$revision" -m 'Enable traits by default'
)

allowed=()
if [ -f $checks/api-breakages.txt ]; then
    entries $checks/api-breakages.txt >"$work/breakages.txt"
    allowed=(--breakage-allowlist-path "$work/breakages.txt")
fi
read -ra traits <<<"${TRAIT_FLAGS:-}"
compare() {
    "${SWIFT:-swift}" package "${traits[@]}" diagnose-api-breaking-changes "$baseline" --baseline-dir "$work" "${allowed[@]}" "$@"
}
# SwiftPM also compares `package` declarations, which other packages cannot use. This function removes them from the
# baseline, and prints their number. It also fails for a module without declarations, because no change could break it.
# Only the umbrella product has none by design.
public_only() {
    python3 - "$@" <<'END'
import json, os, sys

removed = 0
# Modules that only re-export other modules. The check compares the declarations in the modules that declare them.
UMBRELLAS = {"Reactive"}

def is_empty(children):
    return all(child["kind"] == "Import" for child in children)

def strip(node):
    global removed
    for key in ("children", "accessors"):
        if key in node:
            kept = [strip(child) for child in node[key] if not child.get("isInternal")]
            removed += len(node[key]) - len(kept)
            node[key] = kept
    return node

for path in sys.argv[1:]:
    with open(path) as file:
        module = json.load(file)
    name = os.path.basename(path).removesuffix(".json")
    if is_empty(module["ABIRoot"].get("children", [])):
        if name in UMBRELLAS:
            print(f"api-check: {name} is not compared: it declares nothing and re-exports other products", file=sys.stderr)
            continue
        sys.exit(f"api-check: the baseline of {name} has no declarations: build with the trait that it needs (TRAITS)")
    before = removed
    strip(module["ABIRoot"])
    if removed > before:
        with open(path, "w") as file:
            json.dump(module, file)
print(removed)
END
}
echo "api-check: building the baseline $revision and this package"
status=0
compare "$@" >"$work/log" 2>&1 || status=$?
compgen -G "$work/$baseline/*.json" >/dev/null || { cat "$work/log" >&2; fail "SwiftPM has written no baseline"; }
removed=$(public_only "$work/$baseline"/*.json)
if [ "$removed" -gt 0 ]; then
    status=0
    compare "$@" >"$work/log" 2>&1 || status=$?
fi
if [ $status -eq 0 ]; then grep -E '^No breaking changes' "$work/log"; else cat "$work/log" >&2; fi
exit $status
