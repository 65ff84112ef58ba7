// SPDX-License-Identifier: MIT

extension SequenceDiagram {
    /// The width of the column of times.
    private static let timeWidth = 12
    /// The line length, unless the columns need more.
    private static let lineLimit = 118

    /// The diagram as text, of at most about 120 columns.
    public var description: String {
        if columns.isEmpty { return "" }
        let room = (Self.lineLimit - Self.timeWidth) / columns.count
        let width = max(12, min(26, room))
        var lines = [Self.pad("time", Self.timeWidth) + columns.map { Self.pad($0, width) }.joined()]
        lines += rows.map { row in
            if case .omission(let count) = row.kind { return Self.text(ofOmission: count) }
            return Self.pad(Self.text(of: row.time), Self.timeWidth) + line(of: row, width)
        }
        return lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }.joined(separator: "\n")
    }

    private func line(of row: Row, _ width: Int) -> String {
        var line = Array(repeating: Character(" "), count: columns.count * width)
        for column in columns.indices { line[column * width] = "|" }
        switch row.kind {
        case .note(let column, let text):
            let room = line.count - column * width - 2
            let shown = Array(" * " + text).prefix(max(room, 0))
            line.replaceSubrange(column * width + 1..<column * width + 1 + shown.count, with: shown)
        case .arrow(let source, let target, let text):
            let (left, right) = (min(source, target) * width + 1, max(source, target) * width - 1)
            for place in left...right { line[place] = "-" }
            line[source < target ? right : left] = source < target ? ">" : "<"
            let label = Array(" \(text) ").prefix(max(0, right - left - 3))
            let start = left + (right - left + 1 - label.count) / 2
            line.replaceSubrange(start..<start + label.count, with: label)
        case .omission: break
        }
        return String(line)
    }

    static func text(ofOmission count: Int) -> String { "… \(count) \(count == 1 ? "event" : "events") left out" }

    /// The seconds, with microseconds.
    static func text(of time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let digits = String(attoseconds / 1_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text.count < width ? text + String(repeating: " ", count: width - text.count) : text.prefix(width - 1) + " "
    }
}
