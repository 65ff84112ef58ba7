/// A command line of `--name value` pairs after a few words.
public struct Arguments: Sendable {
    /// What stands before the first option.
    public let words: [String]
    private let options: [String: String]

    /// Reads this program's.
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

    /// The text of an option.
    public func text(_ name: String) -> String? { options[name] }

    /// The number of an option.
    public func number(_ name: String, default fallback: Int) -> Int {
        guard let text = options[name] else { return fallback }
        guard let value = Int(text.filter { $0 != "_" }) else { fail("--\(name) is a number, not \(text)") }
        return value
    }

    /// Whether a row is asked for: all are, unless `--only` names some, parted by commas.
    public func wants(_ row: String) -> Bool {
        guard let only = options["only"] else { return true }
        return only.split(separator: ",").contains { $0 == row }
    }
}
