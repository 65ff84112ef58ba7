// SPDX-License-Identifier: MIT
/// The header `tracestate`: entries of tracing systems, which other systems pass on unchanged.
public struct TraceState: Sendable, Hashable {
    /// An entry of one tracing system.
    public struct Entry: Sendable, Hashable {
        /// The name of the system: `vendor`, or `tenant@vendor`.
        public let key: String
        /// Up to 256 printable ASCII characters without comma and equals sign. The last one is not a space.
        public let value: String

        /// Creates an entry, or returns `nil` if the recommendation does not allow the key or the value.
        public init?(_ key: String, _ value: String) {
            guard Self.isKey(Array(key.utf8)), Self.isValue(Array(value.utf8)) else { return nil }
            (self.key, self.value) = (key, value)
        }
    }

    /// The entries, the most recent one first. Each key occurs once.
    public private(set) var entries: [Entry]

    /// The largest number of entries.
    private static var limit: Int { 32 }

    /// Creates a state without entries.
    public init() { entries = [] }

    /// Parses the header, or returns `nil` if it is invalid: more than 32 entries, a key that occurs twice, or an entry
    /// that the recommendation does not allow. Several headers are joined by commas.
    public init?(_ header: String) {
        entries = []
        var keys: Set<String> = []
        for member in header.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: true) {
            let member = Self.trimmed(member)
            if member.isEmpty { continue }
            guard let sign = member.firstIndex(of: UInt8(ascii: "=")), entries.count < Self.limit,
                let key = String(member[..<sign]), let value = String(member[member.index(after: sign)...]),
                let entry = Entry(key, value), keys.insert(key).inserted
            else { return nil }
            entries.append(entry)
        }
    }

    /// Puts an entry first, and removes an older one of the same key. If there are more than 32 entries, the oldest one
    /// is dropped.
    public mutating func insert(_ entry: Entry) {
        entries.removeAll { $0.key == entry.key }
        entries.insert(entry, at: 0)
        if entries.count > Self.limit { entries.removeLast() }
    }

    /// The value of `key`, or `nil`.
    public subscript(key: String) -> String? { entries.first { $0.key == key }?.value }

    /// The value of the header, of at most 512 characters. Entries of more than 128 characters are left out first, then
    /// the oldest ones.
    public var header: String {
        var kept = entries
        while Self.length(of: kept) > 512 {
            kept.remove(at: kept.lastIndex { $0.length > 128 } ?? kept.count - 1)
        }
        return kept.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }

    private static func length(of entries: [Entry]) -> Int {
        entries.reduce(max(0, entries.count - 1)) { $0 + $1.length }
    }

    /// Without the spaces and tabs at both ends.
    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}

extension TraceState.Entry {
    fileprivate var length: Int { key.utf8.count + value.utf8.count + 1 }

    private static func isKey(_ key: [UInt8]) -> Bool {
        let parts = key.split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
        guard key.allSatisfy({ isKeyCharacter($0) || $0 == UInt8(ascii: "@") }) else { return false }
        if parts.count == 1 { return key.count <= 256 && key.first.map(isLetter) ?? false }
        let (tenant, system) = (parts[0], parts[1])
        return tenant.count <= 241 && tenant.first.map { isLetter($0) || isDigit($0) } ?? false
            && system.count <= 14 && system.first.map(isLetter) ?? false && !system.contains(UInt8(ascii: "@"))
    }

    private static func isValue(_ value: [UInt8]) -> Bool {
        (1...256).contains(value.count) && value.last != 0x20
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isKeyCharacter(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "_-*/".utf8.contains(byte)
    }
}
