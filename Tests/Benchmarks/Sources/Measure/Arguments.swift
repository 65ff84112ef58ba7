// SPDX-License-Identifier: MIT
/// A command line: a few words, followed by `--name value` pairs.
public struct Arguments: Sendable {
    /// The arguments before the first option.
    public let words: [String]
    private let options: [String: String]

    /// Parses the command line of this program.
    public init(_ all: [String] = Array(CommandLine.arguments.dropFirst())) {
        words = Array(all.prefix { !$0.hasPrefix("--") })
        var options: [String: String] = [:]
        var index = words.count
        while index < all.count {
            guard all[index].hasPrefix("--"), index + 1 < all.count else {
                fail("expected --name value at \(all[index])")
            }
            options[String(all[index].dropFirst(2))] = all[index + 1]
            index += 2
        }
        self.options = options
    }

    /// The value of an option as text.
    public func text(_ name: String) -> String? { options[name] }

    /// The value of an option that must be there. Ends the program otherwise.
    public func required(_ name: String) -> String {
        guard let text = options[name] else { fail("--\(name) is missing") }
        return text
    }

    /// The value of an option as a number.
    public func number(_ name: String, default fallback: Int) -> Int {
        guard let text = options[name] else { return fallback }
        guard let value = Int(text.filter { $0 != "_" }) else { fail("--\(name) is a number, not \(text)") }
        return value
    }

    /// Whether a row is requested. All rows are, unless `--only` lists some, separated by commas.
    public func wants(_ row: String) -> Bool {
        guard let only = options["only"] else { return true }
        return only.split(separator: ",").contains { $0 == row }
    }
}
