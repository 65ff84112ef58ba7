// SPDX-License-Identifier: MIT
import LoopTestSupport

/// Compares the traces of programs on all loops.
package final class Comparison: Sendable {
    private let hand = Hand()

    package init() {}

    /// Two loops on which the traces of a program differ.
    package struct Difference: Sendable, CustomStringConvertible {
        package let program: Program
        package let one: (TraceLoop, Trace)
        package let other: (TraceLoop, Trace)

        package var description: String {
            let names = (one.0.rawValue, other.0.rawValue)
            return "\(names.0) and \(names.1) differ on\n\(program)\n\n"
                + Trace.sideBySide((names.0, one.1), (names.1, other.1))
        }
    }

    package func trace(of program: Program, on loop: TraceLoop) throws -> Trace {
        try Performance.trace(of: program, on: loop, hand: hand)
    }

    /// Compares the first loop with each other loop. Returns the first difference, or `nil` if there is none.
    package func difference(of program: Program, on loops: [TraceLoop] = TraceLoop.allCases) throws -> Difference? {
        let expected = try trace(of: program, on: loops[0])
        for loop in loops.dropFirst() {
            let seen = try trace(of: program, on: loop)
            if seen != expected { return Difference(program: program, one: (loops[0], expected), other: (loop, seen)) }
        }
        return nil
    }

    /// Generates programs from a seed, each with its own seed, which the message names. Returns the first difference,
    /// minimized.
    package func check(
        seed: UInt64,
        count: Int,
        progress: (Int) -> Void = { _ in }
    ) throws -> (seed: UInt64, difference: Difference)? {
        for number in 0..<count {
            let own = seed &+ UInt64(number)
            var generator = ProgramGenerator(seed: own)
            if let difference = try difference(of: generator.program()) {
                return (own, try shrunk(difference))
            }
            progress(number + 1)
        }
        return nil
    }

    /// Returns the smallest program found that still differs on the same two loops.
    package func shrunk(_ found: Difference) throws -> Difference {
        let loops = [found.one.0, found.other.0]
        let smallest = try found.program.smallest { candidate in try difference(of: candidate, on: loops) != nil }
        return try difference(of: smallest, on: loops) ?? found
    }
}
