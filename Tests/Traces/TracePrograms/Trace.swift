// SPDX-License-Identifier: MIT
/// The events of a program on a loop, in order.
package struct Trace: Sendable, Equatable {
    /// One event with its time and turn. Turn 0 means off the loop.
    package struct Entry: Sendable, Equatable, CustomStringConvertible {
        package var time: Int64
        package var turn: UInt64
        package var what: String

        package var description: String { "\(time) \(turn == 0 ? "-" : "#\(turn)") \(what)" }
    }

    package var entries: [Entry] = []

    /// Prints both traces side by side, around their first difference.
    package static func sideBySide(_ left: (String, Trace), _ right: (String, Trace)) -> String {
        let lines = (left.1.entries.map(\.description), right.1.entries.map(\.description))
        let count = max(lines.0.count, lines.1.count)
        func line(_ lines: [String], _ index: Int) -> String { index < lines.count ? lines[index] : "(over)" }
        let first = (0..<count).first { line(lines.0, $0) != line(lines.1, $0) } ?? count
        let shown = max(0, first - 30)..<min(count, first + 12)
        let width = max(left.0.count, shown.map { line(lines.0, $0).count }.max() ?? 0)
        func row(_ mark: String, _ left: String, _ right: String) -> String {
            mark + left + String(repeating: " ", count: width - left.count) + "  |  " + right
        }
        var rows = [row("  ", left.0, right.0)]
        for index in shown {
            let (one, other) = (line(lines.0, index), line(lines.1, index))
            rows.append(row(one == other ? "  " : "> ", one, other))
        }
        return rows.joined(separator: "\n")
    }
}
