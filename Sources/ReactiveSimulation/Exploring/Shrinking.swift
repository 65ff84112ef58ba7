// SPDX-License-Identifier: MIT

/// The search for the smallest world that still fails as before: with the fewest faults, the fewest hosts, and the
/// earliest end of the faults.
///
/// A failure is the same if its error has the same type, and the same text apart from numbers.
struct Shrinking {
    private let body: (World) throws -> Void
    private var runsLeft: Int
    private let kind: FailureKind
    private(set) var best: Reproduction

    /// What two runs have in common if they fail in the same way.
    private struct FailureKind: Equatable {
        let type: String
        let text: String

        init(_ failure: SimulationFailure) {
            type = String(reflecting: Swift.type(of: failure.error))
            text = "\(failure.error)".filter { !$0.isNumber }
        }
    }

    init(_ failure: SimulationFailure, runs: Int, _ body: @escaping (World) throws -> Void) {
        self.body = body
        runsLeft = runs
        kind = FailureKind(failure)
        best = Reproduction(seed: failure.seed)
    }

    /// Reduces a world, given its hosts and faults.
    mutating func reduce(hosts: [String], faults: [Fault], end: Duration) {
        if faults.isEmpty { return }
        reduceFaults(faults)
        if best.faults != [] {
            let milliseconds = Int64((end / .milliseconds(1)).rounded(.up))
            // Each halving of the time needs a run. The diagram depends on this search (Decision 0072).
            reduceHosts(hosts, keeping: Int64.bitWidth - milliseconds.leadingZeroBitCount)
            reduceTime(milliseconds)
        }
    }

    /// Tries to leave out all faults. If that fails, tries each fault alone.
    private mutating func reduceFaults(_ all: [Fault]) {
        if accept({ $0.faults = [] }) { return }
        var kept = all
        for fault in all {
            let fewer = kept.filter { $0 != fault }
            if fewer.count < kept.count, accept({ $0.faults = fewer }) { kept = fewer }
        }
        if kept.count < all.count { best.faults = kept }
    }

    /// Leaves out hosts, while at least `reserve` runs are left. If the body fails without faults when this host is
    /// missing, the body depends on the host, so the host stays.
    private mutating func reduceHosts(_ hosts: [String], keeping reserve: Int) {
        // A host needs two runs.
        for host in hosts where runsLeft >= reserve + 2 {
            var calm = Reproduction(seed: best.seed, without: best.without.union([host]))
            calm.faults = []
            if run(calm) == nil { _ = accept { $0.without.insert(host) } }
        }
    }

    /// Searches the earliest end of the faults, to a millisecond. So the last fault before it is needed for the failure,
    /// and the diagram shows it.
    private mutating func reduceTime(_ end: Int64) {
        var (works, fails) = (Int64(0), end)
        while runsLeft > 0, fails - works > 1 {
            let middle = (works + fails) / 2
            if accept({ $0.faultsUntil = .milliseconds(middle) }) { fails = middle } else { works = middle }
        }
    }

    /// Keeps a change if the world still fails in the same way.
    private mutating func accept(_ change: (inout Reproduction) -> Void) -> Bool {
        var candidate = best
        change(&candidate)
        guard let failure = run(candidate), FailureKind(failure) == kind else { return false }
        best = candidate
        return true
    }

    /// Runs a world. Returns its failure, or nil if it does not fail or no run is left.
    private mutating func run(_ reproduction: Reproduction) -> SimulationFailure? {
        if runsLeft <= 0 { return nil }
        runsLeft -= 1
        do {
            try Simulation.perform(reproduction, body)
            return nil
        } catch {
            return error as? SimulationFailure
        }
    }
}
