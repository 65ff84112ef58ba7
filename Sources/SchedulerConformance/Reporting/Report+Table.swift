// SPDX-License-Identifier: MIT
extension Report {
    /// The table, with a row for each rule and a column for each loop. It is in colour for a terminal.
    func table(isColoured: Bool) -> String {
        let widths = loops.map { max($0.count, 9) }
        let idWidth = max(4, rules.map(\.id.count).max() ?? 0)
        func row(_ id: String, _ cells: [(text: String, colour: String)], _ rest: String) -> String {
            let columns = zip(cells, widths).map { cell, width in
                let padded = cell.text + String(repeating: " ", count: max(0, width - cell.text.count))
                return isColoured && !cell.colour.isEmpty ? "\u{1b}[\(cell.colour)m\(padded)\u{1b}[0m" : padded
            }
            let head = id + String(repeating: " ", count: max(0, idWidth - id.count))
            return ([head] + columns + [rest]).joined(separator: "  ") + "\n"
        }
        var text = row("", loops.map { ($0, "1") }, "")
        for rule in rules {
            let cells = loops.map { loop in Self.cell(result(rule, loop)?.verdict) }
            let room = 118 - 6 - widths.reduce(0) { $0 + $1 + 2 }
            let statement =
                rule.statement.count > room ? rule.statement.prefix(max(0, room - 1)) + "…" : rule.statement[...]
            text += row(rule.id, cells, String(statement))
        }
        return text
    }

    private static func cell(_ verdict: RuleResult.Verdict?) -> (text: String, colour: String) {
        switch verdict {
        case .passed: ("holds", "32")
        case .failed: ("FAILS", "1;31")
        case .skipped: ("skipped", "2")
        case .deviates: ("deviates", "33")
        case nil: ("", "")
        }
    }

    /// The table as Markdown. Runs with the same results produce the same text.
    var markdown: String {
        var notes: [String] = []
        func note(_ text: String) -> Int {
            if let index = notes.firstIndex(of: text) { return index + 1 }
            notes.append(text)
            return notes.count
        }
        func cell(_ result: RuleResult?) -> String {
            switch result?.verdict {
            case .passed: "holds"
            case .failed: "**fails**"
            case .skipped(let reason): "skipped [\(note(reason))]"
            case .deviates(let reason): "deviates [\(note(reason))]"
            case nil: ""
            }
        }
        var text = "| Rule | " + loops.joined(separator: " | ") + " | The promise |\n"
        text += "|---|" + loops.map { _ in "---|" }.joined() + "---|\n"
        for rule in rules {
            let cells = loops.map { loop in cell(result(rule, loop)) }.joined(separator: " | ")
            text += "| \(rule.id) | \(cells) | \(rule.statement) |\n"
        }
        for (number, note) in notes.enumerated() { text += "\n[\(number + 1)] \(note)\n" }
        return text
    }
}
