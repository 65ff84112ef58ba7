// SPDX-License-Identifier: MIT
package import ReactiveSupport

/// One parser under test: how to generate its inputs, and what must hold for each.
package struct Fuzzer: Sendable {
    /// Generates an input: a valid structure, usually slightly mutated.
    package typealias Make = @Sendable (_ random: inout SplitMix64) -> [UInt8]
    /// Returns a description of the failure, or `nil`. Random choices, such as split positions, come from `random`
    /// alone.
    package typealias Check = @Sendable (_ input: [UInt8], _ random: inout SplitMix64) -> String?

    package let name: String
    /// Runs one in this many of the requested cases, because slow fuzzers need fewer.
    let share: Int
    let make: Make
    let check: Check

    package init(
        _ name: String,
        oneIn share: Int = 1,
        make: @escaping Make,
        check: @escaping Check
    ) {
        self.name = name
        self.share = share
        self.make = make
        self.check = check
    }

    /// The input of one case.
    func input(seed: UInt64, case index: Int) -> [UInt8] {
        var random = SplitMix64(seed: seed, fuzzer: name, case: index)
        return make(&random)
    }

    /// Describes the failure of an input, if any. The random choices are those of the case.
    func failure(of input: [UInt8], seed: UInt64, case index: Int) -> String? {
        var random = SplitMix64(seed: ~seed, fuzzer: name, case: index)
        return check(input, &random)
    }
}

extension [UInt8] {
    /// The bytes, split at the given positions.
    package func chunks(cutAt places: [Int]) -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        var start = 0
        for place in places {
            chunks.append(Array(self[start..<place]))
            start = place
        }
        return chunks + [Array(self[start...])]
    }
}
