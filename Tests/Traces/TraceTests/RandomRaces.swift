import Foundation
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import Testing
import TracePrograms

@Suite(.serialized) struct RandomRaces {
    /// `TRACE_SEED` says which races; without it every run has others.
    private static let seed =
        ProcessInfo.processInfo.environment["TRACE_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64(UInt32.max))

    @Test("T12, T27: no callback comes behind another one that ended after its disposal", arguments: LoopKind.all)
    func races(_ kind: LoopKind) throws {
        for number in 0..<UInt64(Machine.rounds(50)) {
            let seed = Self.seed &+ number
            // No test of this process handles it.
            let failure = try Race.failure(on: kind, seed: seed, signal: ProcessSignal(rawValue: 62))
            if let failure { Issue.record("seed \(seed): \(failure)") }
        }
    }
}
