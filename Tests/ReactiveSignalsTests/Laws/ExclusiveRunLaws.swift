// SPDX-License-Identifier: MIT
import Foundation
import ReactiveCore
import ReactiveSignals
import ReactiveSimulation
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

/// Runs of one source do not overlap, although threads subscribe, dispose, fail and switch at every possible moment. A
/// simulation decides at each lock which thread goes on.
@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation")) struct ExclusiveRunLaws {
    struct Operation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Applies the operator to the resource's signal. The subject switches `flatMap(.latest)`.
        let make: @Sendable (Signal<Int, TestError>, Subject<Int, TestError>) -> Signal<Int, TestError>
    }

    private static let operations = [
        Operation(testDescription: "share()") { source, _ in source.share() },
        Operation(testDescription: "share(replay:)") { source, _ in source.share(replay: 1) },
        Operation(testDescription: "share() of share()") { source, _ in source.share().share(whilePaused: .unbounded) },
        Operation(testDescription: "share() of retry()") { source, _ in source.retry(upTo: 2).share() },
        Operation(testDescription: "share() of flatMap(.latest)") { source, subject in
            subject.signal.prefix(value: 0).flatMap(.latest) { _ in source }.share()
        },
        Operation(testDescription: "share() of race") { source, subject in
            Signal.race(source, subject.signal).repeat(times: 3).share()
        },
    ]

    @Test("Runs of a source do not overlap", arguments: operations)
    func noOverlap(_ operation: Operation) throws {
        for interleaving: Interleaving in [.random(0.05), .random(0.3), .pct(depth: 3, points: 1_000)] {
            try Simulation.explore(seeds: 1...Self.seeds) { world in
                world.interleaving = interleaving
                let resource = ExclusiveResource()
                let host = world.host("host")
                host.start { loop in
                    let subject = Subject<Int, TestError>()
                    let shared = operation.make(resource.signal, subject)
                    for thread in 0..<2 {
                        host.startThread("subscriber \(thread)") {
                            for _ in 0..<3 {
                                shared.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose()
                            }
                        }
                    }
                    host.startThread("source") {
                        for number in 0..<3 {
                            resource.fail()
                            subject.send(number)
                            resource.complete()
                        }
                    }
                    return loop
                }
                let isIdle = try world.runUntilIdle(limit: .seconds(1_000_000))
                world.check(isIdle, "the world did not become idle")
                world.check(!resource.hasOverlapped, "the resource was opened twice")
                world.check(resource.users == 0, "the resource is still open")
                try world.run(for: .zero)
            }
        }
    }

    /// `make interleavings COUNT=` sets the number of seeds.
    private static let seeds = 1 + (UInt64(ProcessInfo.processInfo.environment["INTERLEAVINGS"] ?? "") ?? 100) / 5
}
