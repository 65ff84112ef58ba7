/// A seeded generator (SplitMix64): the same seed makes the same input on every machine.
public struct FuzzRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    /// The generator of one case of one fuzzer.
    public init(seed: UInt64, fuzzer: String, case index: Int) {
        var hash = seed
        for byte in fuzzer.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var mixed = FuzzRandom(seed: hash)
        self.init(seed: mixed.next() ^ UInt64(truncatingIfNeeded: index))
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// True once in `count` calls, on average.
    public mutating func oneIn(_ count: Int) -> Bool { number(in: 0..<count) == 0 }

    public mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// One of `choices`, which are not empty.
    public mutating func pick<Element>(_ choices: [Element]) -> Element { choices[number(in: 0..<choices.count)] }

    /// Random bytes; half of the runs are printable.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        let range: ClosedRange<UInt8> = oneIn(2) ? 32...126 : 0...255
        return (0..<count).map { _ in UInt8.random(in: range, using: &self) }
    }

    /// Where to cut `count` bytes into chunks: at a few places, everywhere, or nowhere. Some chunks may be empty.
    public mutating func cuts(of count: Int) -> [Int] {
        if oneIn(8) { return Array(0...count) }
        return (0..<number(in: 0..<6)).map { _ in number(in: 0..<count + 1) }.sorted()
    }
}
