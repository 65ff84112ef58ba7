// SPDX-License-Identifier: MIT
import Foundation
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import Testing
import TracePrograms

@Suite(.serialized) struct RandomRaces {
    /// `TRACE_SEED` selects the races. Without it every run uses other ones.
    private static let seed =
        ProcessInfo.processInfo.environment["TRACE_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64(UInt32.max))

    @Test(
        "T12, T27: after a disposal, at most the next callback belongs to the disposed object",
        arguments: LoopKind.all
    )
    func races(_ kind: LoopKind) throws {
        for number in 0..<UInt64(Platform.rounds(50)) {
            let seed = Self.seed &+ number
            // No test of this process handles this signal.
            let failure = try Race.failure(on: kind, seed: seed, signal: ProcessSignal(rawValue: 62))
            if let failure { Issue.record("seed \(seed): \(failure)") }
        }
    }
}
