/// One line of the table: the same work done by each library, and what of it has to be the case.
struct Row {
    let name: String
    /// How many events one run is.
    let events: Int
    let limit: Limit?
    let sides: [Side]
}

/// What ours may take, at most.
enum Limit {
    /// As a part of what OpenCombine takes in the same run.
    case ratio(Double)
    case nanoseconds(Double)
}

/// One library's way to do the work of a row.
struct Side {
    let who: String
    /// Does all of it; the result is a sum over the values that arrived, the same for each side.
    let run: () -> Int
}

extension Side {
    static func ours(_ run: @escaping () -> Int) -> Side { Side(who: "ours", run: run) }
    static func openCombine(_ run: @escaping () -> Int) -> Side { Side(who: "OpenCombine", run: run) }
}

/// Where the values end, so that none of the work can be left out.
final class Total: @unchecked Sendable {
    @exclusivity(unchecked)
    var sum = 0

    /// What has come since the last call.
    func take() -> Int {
        defer { sum = 0 }
        return sum
    }
}
