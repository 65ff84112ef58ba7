#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks which module imports which, how much unchecked code there is, and that ReactiveCore contains only protocols and
# small values.
set -uo pipefail
cd "$(dirname "$0")/../.."
failures=0
fail() { echo "layering: $1" >&2; failures=$((failures + 1)); }

# A module may import these Swift modules, and these C modules.
allowed() {
    case "$1" in
        ReactiveCore) echo "" ;;
        ReactiveSupport) echo "ReactiveCore Synchronization" ;;
        ReactiveSignals) echo "ReactiveCore ReactiveSupport Synchronization" ;;
        ReactiveCommands) echo "ReactiveCore ReactiveSupport ReactiveSignals Synchronization" ;;
        ReactiveTesting) echo "ReactiveCore ReactiveSupport ReactiveSignals Synchronization" ;;
        SchedulerEngine) echo "ReactiveCore ReactiveSupport Synchronization" ;;
        SchedulerDispatch) echo "ReactiveCore ReactiveSupport SchedulerEngine Synchronization Dispatch" ;;
        SchedulerLibuv | SchedulerLibevent) echo "ReactiveCore ReactiveSupport SchedulerEngine" ;;
        ReactiveSockets) echo "ReactiveCore ReactiveSupport ReactiveSignals Synchronization" ;;
        Reactive) echo "ReactiveCore ReactiveSignals ReactiveSockets ReactiveCommands" ;;
        ReactiveNATS) echo "ReactiveCore ReactiveSupport ReactiveSignals ReactiveCommands ReactiveSockets ReactiveTLS" ;;
        ReactiveTLS) echo "ReactiveCore ReactiveSupport ReactiveSignals ReactiveSockets" ;;
        ReactiveCAres) echo "ReactiveCore ReactiveSupport ReactiveSignals ReactiveSockets Synchronization" ;;
        ReactiveHTTP) echo "ReactiveCore ReactiveSupport ReactiveSignals ReactiveCommands ReactiveSockets HTTPTypes Synchronization" ;;
        ReactiveDashboard) echo "ReactiveCore ReactiveSupport ReactiveSignals ReactiveSockets ReactiveHTTP HTTPTypes" ;;
        ReactiveTracing) echo "ReactiveCore ReactiveSupport ReactiveSignals ReactiveCommands ReactiveSockets ReactiveHTTP ReactiveNATS HTTPTypes Tracing" ;;
        ReactiveLogging) echo "ReactiveCore ReactiveSignals ReactiveSockets Logging" ;;
        ReactiveMetrics) echo "ReactiveCore ReactiveSignals ReactiveCommands ReactiveSockets CoreMetrics" ;;
        ReactiveServiceLifecycle) echo "ReactiveCore ReactiveSignals ReactiveSockets ServiceLifecycle" ;;
        ReactiveSimulation) echo "ReactiveCore ReactiveSupport ReactiveSignals ReactiveSockets SchedulerEngine Synchronization" ;;
        SchedulerConformance) echo "ReactiveCore ReactiveSupport ReactiveSignals ReactiveSockets ReactiveTesting Synchronization" ;;
        *) echo "?" ;;
    esac
}
c_allowed() {
    case "$1" in
        ReactiveSupport | ReactiveSockets | ReactiveSimulation | SchedulerEngine | SchedulerDispatch | SchedulerConformance) echo "CReactive Glibc" ;;
        ReactiveNATS) echo "COpenSSL Glibc" ;;
        ReactiveCAres) echo "CCares Glibc" ;;
        ReactiveHTTP) echo "CZlib Glibc" ;;
        ReactiveTLS) echo "COpenSSL Glibc" ;;
        SchedulerLibuv) echo "CLibuv Glibc" ;;
        SchedulerLibevent) echo "CLibevent Glibc" ;;
        *) echo "" ;;
    esac
}

while read -r file; do
    module=${file#Sources/}; module=${module%%/*}
    may=$(allowed "$module")
    [ "$may" = "?" ] && { fail "$file: module $module is not in the table of Tests/Checks/layering.sh"; continue; }
    may="$may $(c_allowed "$module")"
    # These files of the kit use the main queue, or wait until libdispatch has opened its descriptors.
    case "$file" in
        Sources/SchedulerConformance/Rules/MainLoopRules.swift | Sources/SchedulerConformance/Running/LibraryWarmUp.swift)
            may="$may Dispatch" ;;
        # The peers of the rules TLS1 to TLS12 use OpenSSL directly, so that they do not share a defect with ReactiveTLS.
    esac
    while read -r import; do
        case " $may " in *" $import "*) ;; *) fail "$file imports $import" ;; esac
    done < <(sed -nE 's/^ *(@[A-Za-z_]+ )*(public |package |internal |private )?import ([A-Za-z_]+).*/\3/p' "$file")
done < <(git ls-files --cached --others --exclude-standard 'Sources/*.swift')

# Declarations that the compiler does not check. Their number must not grow.
unchecked=$(grep -rhE '@unchecked Sendable|nonisolated\(unsafe\)' --include='*.swift' Sources | grep -cvE '^ *//')
most=22
[ "$unchecked" -eq $most ] ||
    fail "$unchecked lines say '@unchecked Sendable' or 'nonisolated(unsafe)', not $most: find another way, or lower the number here"

core=$(git ls-files --cached --others --exclude-standard 'Sources/ReactiveCore/*.swift')
grep -nE '^ *((public|package|internal|private|fileprivate|final) )*(class|actor) ' $core && fail "ReactiveCore contains a class or an actor"
grep -nE 'Mutex|Atomic<|@TaskLocal' $core && fail "ReactiveCore contains a lock or other shared state"

# A dependent package fetches and needs only what it requests by a trait.
grep -qF '.default(enabledTraits: [])' Package.swift || fail "the root manifest enables traits by default"
[ "$(grep -cF '.product(' Package.swift)" -eq 1 ] && grep -qF '.product(name: name, package: package, condition: .when(traits: [trait]))' Package.swift ||
    fail "a product of another package is not behind a trait: Package.swift names them by product(_:of:trait:)"
grep -nE '\.package\(' Package.swift | grep -vE '\.package\(url: "https://github\.com/[^"]+", from: "[0-9.]+"(, traits: \[\])?\)' &&
    fail "the root manifest names a package without its public GitHub address and a version"
grep -qF '.target(name: name, condition: .when(traits: [trait]))' Package.swift || fail "target(_:trait:) of Package.swift ignores the trait"
for dependency in CLibuv CLibevent COpenSSL CZlib CCares; do
    grep -nE "\"$dependency\"" Package.swift | grep -vE "target\(\"$dependency\", trait: |systemLibrary" &&
        fail "$dependency is not behind its trait"
done
for entry in $(git ls-files | cut -d/ -f1 | sort -u); do
    case "$entry" in
        .* | Package.swift | Sources | Tests | Examples | Docs | README.md | Makefile | LICENSE) ;;
        *) fail "$entry does not belong at the top level" ;;
    esac
done
grep -rnE '\.disabled\(|withKnownIssue|Task\.sleep|usleep\(|Thread\.sleep' --include='*.swift' Tests --exclude-dir=.build |
    grep -v 'allowed: ' && fail "a test is disabled, expected to fail, or sleeps (say why behind 'allowed: ' where the sleep is what is tested)"

for folder in Sources/*/ Tests/*/ Examples/*/; do
    closures=$(grep -rhoE 'typealias [A-Za-z]+ = .*->' --include='*.swift' "$folder" | cut -d' ' -f2 | sort -u | paste -sd'|')
    grep -rnE "\b(Lock|Mutex)<\(*((@[A-Za-z]+ )*\([^>]*->|(${closures:-none})\b)" --include='*.swift' --exclude-dir=.build "$folder" &&
        fail "a closure by itself in a lock, which each access wraps once more and puts back: put a struct around it"
done

# These print no message in a release build, so a user would not learn what was wrong.
grep -rnE '\bpreconditionFailure\(|\bprecondition\($|\bprecondition\(.*"' --include='*.swift' Sources |
    grep -vE '^[^:]+:[0-9]+: *//' && fail "a precondition with a message: use require or trap of ReactiveSupport for a misuse of the API, otherwise omit the message"
# Swift 6.3.1 compiles a loop that only counts a parameter pack to one iteration in code that is not specialised.
grep -rnE 'for .* in repeat ' --include='*.swift' Sources && fail "a loop over a parameter pack: use a pack expansion that uses each element"

[ $failures -eq 0 ] && echo "layering: in order" || exit 1
