// SPDX-License-Identifier: MIT
import ReactiveSupport

/// What the snippets of one file print, for tests to compare.
final class PrintedLines: Sendable {
    private let lock = Lock<[String]>([])

    var lines: [String] { lock.withLock { $0 } }

    /// Adds a line as the standard library's `print` would write it.
    func add(_ items: [Any]) {
        let line = items.map { "\($0)" }.joined(separator: " ")
        lock.withLock { $0.append(line) }
    }
}
