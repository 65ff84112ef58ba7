// SPDX-License-Identifier: MIT

/// How to repeat a failure: its seed, and what to leave out of the world.
///
/// ``Simulation/explore(seeds:shrinking:_:)`` finds it. The description of the failure that it throws contains the
/// reproduction as Swift source. Pass it to ``Simulation/run(_:diagram:_:)`` with the same body.
public struct Reproduction: Sendable, Hashable, CustomStringConvertible {
    /// The seed of the world.
    public var seed: UInt64
    /// The names of the hosts whose programs do not start.
    public var without: Set<String>
    /// The faults that may happen. Other faults that the body sets have no effect. nil means all faults.
    public var faults: [Fault]?
    /// The world's time at which the faults end. Episodes that have begun are completed. nil means that there is no
    /// such time.
    public var faultsUntil: Duration?

    /// Creates a reproduction. By default nothing is left out.
    public init(seed: UInt64, without: Set<String> = [], faults: [Fault]? = nil, faultsUntil: Duration? = nil) {
        self.seed = seed
        self.without = without
        self.faults = faults
        self.faultsUntil = faultsUntil
    }

    /// Whether something is left out.
    var isReduced: Bool { !without.isEmpty || faults != nil || faultsUntil != nil }

    /// The faults of a list that may happen, each with its time limit.
    func permitted(of all: [Fault]) -> [Fault] {
        let permitted = faults.map { kept in all.filter { kept.contains($0) } } ?? all
        guard let faultsUntil else { return permitted }
        return permitted.map { fault in fault.end.map { $0 <= faultsUntil } ?? false ? fault : fault.until(faultsUntil)
        }
    }

    /// The reproduction as Swift source.
    public var description: String {
        var arguments = ["seed: \(seed)"]
        if !without.isEmpty {
            arguments.append("without: [\(without.sorted().map { "\"\($0)\"" }.joined(separator: ", "))]")
        }
        if let faults { arguments.append("faults: [\(faults.map(\.description).joined(separator: ", "))]") }
        if let faultsUntil { arguments.append("faultsUntil: \(faultsUntil.source)") }
        return "Reproduction(\(arguments.joined(separator: ", ")))"
    }
}

extension Duration {
    /// The duration as Swift source.
    var source: String {
        let (seconds, attoseconds) = components
        if attoseconds == 0 { return ".seconds(\(seconds))" }
        // The number must be exact, because a reproduction compares faults.
        if attoseconds % 1_000_000_000 != 0 {
            return ".init(secondsComponent: \(seconds), attosecondsComponent: \(attoseconds))"
        }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, isTooLong) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        if overflow || isTooLong { return ".seconds(\(seconds)) + .nanoseconds(\(attoseconds / 1_000_000_000))" }
        if nanoseconds % 1_000_000 == 0 { return ".milliseconds(\(nanoseconds / 1_000_000))" }
        if nanoseconds % 1_000 == 0 { return ".microseconds(\(nanoseconds / 1_000))" }
        return ".nanoseconds(\(nanoseconds))"
    }
}
