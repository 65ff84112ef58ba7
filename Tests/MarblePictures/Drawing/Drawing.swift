// SPDX-License-Identifier: MIT
/// A performance as SVG: a time line for each subscription, the expression, and the time line of the output.
package struct Drawing {
    private let performance: Performance
    private let expression: [String]
    private let palette: Palette
    private let frames: Int
    /// The x coordinate at which time begins, to the right of the longest name.
    private let left: Double
    private var body = ""
    private var y = 0.0

    private static let frame = 40.0
    private static let radius = 13.0

    package init(_ performance: Performance, _ expression: String, _ palette: Palette) {
        self.performance = performance
        self.expression = expression.split(separator: "\n").map(String.init)
        self.palette = palette
        let ends = (performance.inputs + [performance.output]).map { row in
            max(row.marks.last?.frame ?? 0, row.end ?? 0, row.start)
        }
        frames = (ends.max() ?? 0) + 1
        left = max(70, Double(performance.inputs.map(\.name.count).max() ?? 0) * 8.5 + 36)
    }

    /// Returns the text of the SVG file.
    package mutating func svg() -> String {
        body = ""
        y = 6
        for row in performance.inputs { draw(row, isOutput: false) }
        drawExpression()
        draw(performance.output, isOutput: true)
        let size = "\(number(width)) \(number(y + 4))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(number(width))" height="\(number(y + 4))" \
            font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace">
            \(body)</svg>

            """
    }

    private var width: Double {
        let text = Double(expression.map(\.count).max() ?? 0) * 8.5 + 44
        return max(x(frames) + 30, text + 20)
    }

    private func x(_ frame: Int) -> Double { left + Double(frame) * Self.frame }

    private mutating func draw(_ row: Performance.Row, isOutput: Bool) {
        // Marks in the same frame are drawn one below the other.
        var depths: [Int: Int] = [:]
        for (frame, mark) in row.marks {
            if case .value = mark { depths[frame, default: 0] += 1 }
        }
        let height = Self.radius * 2 + Double(max(1, depths.values.max() ?? 1) - 1) * 27 + 10
        let middle = y + Self.radius + 4
        if !isOutput { text(row.name, 10, middle + 5, anchor: "start", style: "font-style=\"italic\"") }
        let last = row.end ?? frames
        let from = x(row.start) - (row.start == 0 ? 18 : 0)
        // The line ends at the termination mark, which is drawn beside the values of the same frame.
        let isCrowded = row.marks.contains { $0.frame == row.end && !$0.mark.isEnd }
        let reach = row.end == nil ? 8 : isCrowded ? Self.radius + 5 : 0
        line(from, middle, x(last) + reach, middle, palette.line)
        if row.start > 0 { line(from, middle - 6, from, middle + 6, palette.line) }
        // The values that the source would have sent without the disposal.
        let rest = row.marks.filter { mark in row.end.map { mark.frame > $0 } ?? false }
        if let end = row.end, let frame = rest.last?.frame {
            line(x(end), middle, x(frame) + 10, middle, palette.faint, dashes: "3 4")
        } else if row.end == nil, row.marks.last.map({ $0.mark.isEnd }) != true {
            arrow(x(last) + 8, middle)
        }
        if let end = row.end, !row.marks.contains(where: { $0.frame == end && $0.mark.isEnd }) {
            cut(x(end), middle)
        }
        var placed: [Int: Int] = [:]
        for (frame, mark) in row.marks {
            let isPast = row.end.map { frame > $0 } ?? false
            switch mark {
            case .value(let label):
                let place = placed[frame, default: 0]
                placed[frame] = place + 1
                marble(label, x(frame), middle + Double(place) * 27, isFaint: isPast)
            case .completed: bar(x(frame) + (placed[frame] == nil ? 0 : Self.radius + 5), middle, isFaint: isPast)
            case .failed: cross(x(frame) + (placed[frame] == nil ? 0 : Self.radius + 9), middle, isFaint: isPast)
            }
        }
        y += height
    }

    private mutating func drawExpression() {
        let height = Double(expression.count) * 19 + 15
        y += 4
        body += """
            <rect x="4" y="\(number(y))" width="\(number(width - 8))" height="\(number(height))" rx="8" \
            fill="\(palette.box)" stroke="\(palette.edge)"/>

            """
        for (index, line) in expression.enumerated() {
            text(line, 20, y + 21 + Double(index) * 19, anchor: "start", style: "xml:space=\"preserve\"")
        }
        y += height + 8
    }

    private mutating func marble(_ label: String, _ x: Double, _ y: Double, isFaint: Bool) {
        let width = max(Self.radius * 2, Double(label.count) * 8.2 + 12)
        let stroke = isFaint ? palette.faint : palette.line
        body += """
            <rect x="\(number(x - width / 2))" y="\(number(y - Self.radius))" width="\(number(width))" \
            height="\(number(Self.radius * 2))" rx="\(number(Self.radius))" stroke="\(stroke)" stroke-width="1.2" \
            fill="\(palette.marble(label))"\(isFaint ? " opacity=\"0.35\"" : "")/>

            """
        text(label, x, y + 5, anchor: "middle", style: isFaint ? "opacity=\"0.5\"" : "")
    }

    private mutating func bar(_ x: Double, _ y: Double, isFaint: Bool) {
        line(x, y - 12, x, y + 12, isFaint ? palette.faint : palette.line, width: 2.4)
    }

    private mutating func cross(_ x: Double, _ y: Double, isFaint: Bool) {
        let colour = isFaint ? palette.faint : palette.line
        line(x - 8, y - 8, x + 8, y + 8, colour, width: 2.4)
        line(x - 8, y + 8, x + 8, y - 8, colour, width: 2.4)
    }

    /// Marks the disposal of a source before its termination.
    private mutating func cut(_ x: Double, _ y: Double) {
        line(x - 4, y + 8, x + 4, y - 8, palette.line, width: 1.6)
    }

    private mutating func arrow(_ x: Double, _ y: Double) {
        body += "<path d=\"M\(number(x)) \(number(y - 5)) l9 5 l-9 5 z\" fill=\"\(palette.line)\"/>\n"
    }

    private mutating func line(
        _ x1: Double,
        _ y1: Double,
        _ x2: Double,
        _ y2: Double,
        _ colour: String,
        width: Double = 1.6,
        dashes: String? = nil
    ) {
        body += """
            <line x1="\(number(x1))" y1="\(number(y1))" x2="\(number(x2))" y2="\(number(y2))" stroke="\(colour)" \
            stroke-width="\(number(width))"\(dashes.map { " stroke-dasharray=\"\($0)\"" } ?? "")/>

            """
    }

    private mutating func text(_ text: String, _ x: Double, _ y: Double, anchor: String, style: String) {
        let escaped = text.flatMap { character -> String in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(character)
            }
        }
        body += """
            <text x="\(number(x))" y="\(number(y))" font-size="14" text-anchor="\(anchor)" fill="\(palette.text)" \(style)>\
            \(String(escaped))</text>

            """
    }

    private func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}

extension Performance.Mark {
    fileprivate var isEnd: Bool { if case .value = self { false } else { true } }
}
