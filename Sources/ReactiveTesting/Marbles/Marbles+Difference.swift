// SPDX-License-Identifier: MIT
extension Marbles {
    /// Returns a text that shows how this line differs from the expected one, or `nil` if they are equal.
    ///
    /// Each frame is one column in both lines, and `^` marks the first frame that differs. Both lines can be copied
    /// into a test, because blanks count for nothing. If the lines have more than 10,000 frames, each frame that differs
    /// is a line of the text instead.
    ///
    ///     expected  -a-(bc)-|
    ///     received  -a--   b|
    ///                  ^ frame 3: expected (bc), received nothing
    ///                    2 frames differ
    public func difference(from expected: Marbles) -> String? {
        if self == expected { return nil }
        let all = (cells + expected.cells).map(\.frame)
        let (start, last) = (min(0, all.min() ?? 0), max(0, all.max() ?? 0))
        let (expectedTexts, ownTexts) = (expected.texts, texts)
        guard Self.emptyFrames(from: start, to: last) < Self.longest else {
            let lines = Set(all).sorted().filter { expectedTexts[$0] != ownTexts[$0] }.map { frame in
                "frame \(frame): expected \(expectedTexts[frame].orNothing), received \(ownTexts[frame].orNothing)"
            }
            return (["the frames that differ:"] + lines).joined(separator: "\n")
        }
        let frames = Array(start...last)
        let (wanted, got) = (frames.map { expectedTexts[$0] ?? "" }, frames.map { ownTexts[$0] ?? "" })
        let differing = frames.indices.filter { wanted[$0] != got[$0] }
        let first = differing.first ?? frames.startIndex
        let widths = zip(wanted, got).map { max(1, $0.count, $1.count) }
        func line(_ texts: [String]) -> String {
            let columns = zip(texts, widths).map { text, width in (text.isEmpty ? "-" : text).padded(to: width) }
            return columns.joined().trimmingBlanks
        }
        let indent = String(repeating: " ", count: 10 + widths[..<first].reduce(0, +))
        let (expected, received) = (expectedTexts[frames[first]], ownTexts[frames[first]])
        let what = "expected \(expected.orNothing), received \(received.orNothing)"
        var lines = [
            "expected  \(line(wanted))", "received  \(line(got))", "\(indent)^ frame \(frames[first]): \(what)",
        ]
        if differing.count > 1 { lines.append("\(indent)  \(differing.count) frames differ") }
        return lines.joined(separator: "\n")
    }

    /// Checks that this line is the expected one.
    ///
    /// ```swift
    /// try recorder.marbles(values: answers).expect("--t-f-|")
    /// ```
    ///
    /// A test that throws the error prints both lines, one above the other. The error contains `file` and `line`.
    ///
    /// - Throws: ``MarbleMismatch`` if the lines differ.
    public func expect(
        _ expected: Marbles,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws(MarbleMismatch) {
        if self != expected { throw MarbleMismatch(expected: expected, received: self, file: "\(file)", line: line) }
    }

    private var texts: [Int: String] {
        Dictionary(cells.map { ($0.frame, $0.description) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The error of a check that received a line other than the expected one.
public struct MarbleMismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// The expected line.
    public let expected: Marbles
    /// The received line.
    public let received: Marbles
    /// The file of the check.
    public let file: String
    /// The line of the check in that file.
    public let line: UInt

    /// The location of the check, and both lines as in ``Marbles/difference(from:)``.
    public var description: String {
        "the marbles at \(file):\(line) differ:\n\(received.difference(from: expected) ?? "")"
    }
}

extension EventRecorder where Value: Equatable {
    /// Checks that the received events are those of the line, with the letters of `values`. `?` stands for a received
    /// value that is not in `values`. A time within a frame counts as the frame's beginning.
    ///
    /// The recorder records neither a subscription nor a disposal. So `^` only sets frame zero, and `!` is ignored. To
    /// check subscriptions, use ``TestSource/subscriptions``.
    ///
    /// - Throws: ``MarbleMismatch`` if they differ.
    public func expect(
        _ expected: Marbles,
        values: [Character: Value],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws(MarbleMismatch) {
        try marbles(values: values).expect(expected.received, file: file, line: line)
    }
}

extension EventRecorder where Value == Character {
    /// Checks that the received events are those of the line. A time within a frame counts as the frame's beginning.
    ///
    /// `^` only sets frame zero, and `!` is ignored, as in ``expect(_:values:file:line:)``.
    ///
    /// - Throws: ``MarbleMismatch`` if they differ.
    public func expect(
        _ expected: Marbles,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws(MarbleMismatch) {
        try marbles.expect(expected.received, file: file, line: line)
    }
}

extension String? {
    fileprivate var orNothing: String { self ?? "nothing" }
}

extension String {
    fileprivate var trimmingBlanks: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }

    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: width - count) }
}
