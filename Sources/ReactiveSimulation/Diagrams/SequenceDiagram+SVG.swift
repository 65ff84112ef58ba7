// SPDX-License-Identifier: MIT

extension SequenceDiagram {
    private static var columnWidth: Int { 180 }
    private static var rowHeight: Int { 22 }
    private static var margin: Int { 110 }

    /// The diagram as an SVG document (W3C SVG 1.1).
    public var svg: String {
        let (width, height) = (Self.margin + columns.count * Self.columnWidth, 50 + rows.count * Self.rowHeight + 10)
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="12">
            """,
            "<title>Events before the failure</title>",
            """
            <defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">\
            <path d="M0,0 L8,4 L0,8 z"/></marker></defs>
            """,
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
        ]
        for (column, name) in columns.enumerated() {
            let x = Self.x(column)
            parts.append(
                "<text x=\"\(x)\" y=\"20\" text-anchor=\"middle\" font-weight=\"bold\">\(Self.escaped(name))</text>"
            )
            parts.append("<line x1=\"\(x)\" y1=\"28\" x2=\"\(x)\" y2=\"\(height - 6)\" stroke=\"#999\"/>")
        }
        for (place, row) in rows.enumerated() { parts += Self.elements(of: row, y: 50 + place * Self.rowHeight) }
        return (parts + ["</svg>"]).joined(separator: "\n")
    }

    private static func x(_ column: Int) -> Int { margin + column * columnWidth + columnWidth / 2 }

    private static func elements(of row: Row, y: Int) -> [String] {
        let time = "<text x=\"8\" y=\"\(y + 4)\" fill=\"#555\">\(text(of: row.time)) s</text>"
        switch row.kind {
        case .omission(let count):
            return ["<text x=\"8\" y=\"\(y + 4)\" fill=\"#555\">\(text(ofOmission: count))</text>"]
        case .note(let column, let text):
            let x = x(column)
            return [
                time, "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"4\"/>",
                "<text x=\"\(x + 8)\" y=\"\(y + 4)\">\(escaped(text))</text>",
            ]
        case .arrow(let source, let target, let text):
            let (from, to) = (x(source), x(target))
            return [
                time,
                "<line x1=\"\(from)\" y1=\"\(y)\" x2=\"\(to)\" y2=\"\(y)\" stroke=\"black\" marker-end=\"url(#head)\"/>",
                "<text x=\"\((from + to) / 2)\" y=\"\(y - 4)\" text-anchor=\"middle\">\(escaped(text))</text>",
            ]
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            default: String(character)
            }
        }.joined()
    }
}
