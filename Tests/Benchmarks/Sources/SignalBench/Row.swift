// SPDX-License-Identifier: MIT
/// One row of the table: the same work done in two ways, usually by each library, and its limit.
struct Row {
    let name: String
    /// The number of events of one run.
    let events: Int
    let limit: Limit?
    var sides: [Side]
}

/// The maximum cost of our library.
enum Limit {
    /// Relative to the second side in the same run.
    case ratio(Double)
    case nanoseconds(Double)
}

/// One way to do the work of a row, usually with one library.
struct Side {
    let who: String
    /// Runs all of the work. Returns the sum of the received values, which must be the same for each library.
    let run: () -> Int
}

extension Side {
    static func ours(_ run: @escaping () -> Int) -> Side { Side(who: "ours", run: run) }
    static func openCombine(_ run: @escaping () -> Int) -> Side { Side(who: "OpenCombine", run: run) }
}

/// Consumes the values, so that the compiler cannot remove the work.
final class Total: @unchecked Sendable {
    @exclusivity(unchecked)
    var sum = 0

    /// Returns the sum since the last call.
    func take() -> Int {
        defer { sum = 0 }
        return sum
    }
}
