// SPDX-License-Identifier: MIT

/// The error of a ``World/check(_:_:file:line:)`` whose condition was false.
public struct CheckFailure: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let text: String
    private let file: StaticString
    private let line: UInt

    init(_ text: String, _ file: StaticString, _ line: UInt) {
        self.text = text
        self.file = file
        self.line = line
    }

    /// What is wrong, and where that was checked.
    public var description: String { "\(text) (\(file):\(line))" }
}
