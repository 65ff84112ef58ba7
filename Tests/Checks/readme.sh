#!/usr/bin/env bash
# Every Swift snippet of README.md and of these pages of Docs/ is, word for word, a part of a file that the examples or the tests build.
set -euo pipefail
cd "$(dirname "$0")/../.."
awk '
    /^```swift$/ { inside = 1; snippet = ""; next }
    /^```$/ && inside {
        inside = 0; count++
        snippets[count] = snippet
        next
    }
    inside { snippet = snippet $0 "\n" }
    END { for (i = 1; i <= count; i++) printf "%s%c", snippets[i], 0 }
' README.md Docs/Laws.md Docs/WritingAPoller.md Docs/Guests.md Docs/Datagrams.md Docs/Sockets.md Docs/Services.md Docs/Framing.md Docs/Commands.md Docs/KeyValueServer.md | while IFS= read -r -d '' snippet; do
    found=no
    for file in $(git ls-files --cached --others --exclude-standard 'Examples/*.swift' Tests/ReactiveSignalsTests/Laws/LawExamples.swift); do
        content=$(cat "$file")
        case "$content" in *"${snippet%$'\n'}"*) found=yes; break ;; esac
    done
    if [ $found = no ]; then
        printf 'readme: this snippet is in no example:\n%s\n' "$snippet" >&2
        exit 1
    fi
done
lines=$(wc -l <README.md)
[ "$lines" -le 120 ] || { echo "readme: $lines lines, 120 are the limit" >&2; exit 1; }
echo "readme: its snippets are compiled"
