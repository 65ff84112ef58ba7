// SPDX-License-Identifier: MIT

/// A set of ports of the ephemeral range. Ports outside of it are ignored.
///
/// It has a bit for each port, so that a search for a free port is fast when almost all are taken.
struct EphemeralPorts {
    /// The standard range of Linux (`net.ipv4.ip_local_port_range`).
    static let range: ClosedRange<UInt16> = 32_768...60_999

    private static let wordCount = (range.count + 63) / 64
    /// The words that are not zero.
    private var words: [Int: UInt64] = [:]

    var isEmpty: Bool { words.isEmpty }

    mutating func insert(_ port: UInt16) {
        guard Self.range.contains(port) else { return }
        let index = Int(port - Self.range.lowerBound)
        words[index / 64, default: 0] |= 1 << UInt64(index % 64)
    }

    mutating func remove(_ port: UInt16) {
        guard Self.range.contains(port) else { return }
        let index = Int(port - Self.range.lowerBound)
        guard var word = words[index / 64] else { return }
        word &= ~(1 << UInt64(index % 64))
        words[index / 64] = word == 0 ? nil : word
    }

    /// The first port from a random one on, cyclically, that neither this set nor another one contains. nil if there is
    /// none.
    func free(notIn other: EphemeralPorts, _ random: inout SimulationRandom) -> UInt16? {
        let start = random.below(Self.range.count)
        // The last step returns to the first word, for the ports before the start.
        for step in 0...Self.wordCount {
            let word = (start / 64 + step) % Self.wordCount
            var taken = words[word, default: 0] | other.words[word, default: 0]
            if step == 0 { taken |= (1 << UInt64(start % 64)) - 1 }
            let index = word * 64 + (~taken).trailingZeroBitCount
            if taken != .max, index < Self.range.count { return Self.range.lowerBound + UInt16(index) }
        }
        return nil
    }
}
