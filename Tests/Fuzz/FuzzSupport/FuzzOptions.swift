// SPDX-License-Identifier: MIT
/// The command line of a fuzz program.
struct FuzzOptions {
    static let usage = """
        usage: [--count N] [--seed S] [--only name] [--case N [--input hex]]
          --count  cases for each fuzzer (20000)
          --seed   where the cases come from; a run with the same seed is the same run (20261123)
          --only   the fuzzer of this name
          --case   one case; with --input that case's choices on another input
        """

    var count = 20_000
    var seed: UInt64 = 20_261_123
    var only: String?
    var chosen: Int?
    var input: [UInt8]?
    /// The file to which a worker writes the number of its current case.
    var progress: String?

    init(_ arguments: some Collection<String>) throws(FuzzUsageError) {
        var rest = Array(arguments)[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw FuzzUsageError(text: "\(option) needs a value") }
            switch option {
            case "--count": count = try Self.number(value, option)
            case "--seed": seed = try Self.number(value, option)
            case "--only": only = value
            case "--case": chosen = try Self.number(value, option)
            case "--input": input = try Self.bytes(value)
            case "--progress": progress = value
            default: throw FuzzUsageError(text: "unknown option \(option)")
            }
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ text: String,
        _ option: String
    ) throws(FuzzUsageError) -> Number {
        guard let number = Number(text), number >= 0 else {
            throw FuzzUsageError(text: "\(option) \(text): not a number")
        }
        return number
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ hex: String) throws(FuzzUsageError) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == hex.count, hex.count.isMultiple(of: 2) else {
            throw FuzzUsageError(text: "--input takes pairs of hexadecimal digits")
        }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

/// An error in the command line.
struct FuzzUsageError: Error {
    let text: String
}
