// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSimulation
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

/// Runs of one source do not overlap, although threads subscribe, dispose, fail and switch at every possible moment. A
/// simulation decides at each lock which thread goes on.
@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation")) struct InterleavingRunLaws {
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
        Operation(testDescription: "share() of buffer(_:)") { source, _ in source.buffer(4).share() },
        Operation(testDescription: "share() of take(until:)") { source, _ in
            Signal<Int, TestError>.never.take(until: source).share()
        },
    ]

    /// Operators that start the source again for one subscription.
    private static let restarting = [
        Operation(testDescription: "retry(upTo:)") { source, _ in source.retry(upTo: 3) },
        Operation(testDescription: "repeat(times:)") { source, _ in source.repeat(times: 4) },
        Operation(testDescription: "concat(_:)") { source, _ in
            Signal<Int, TestError>.concat([source, source, source])
        },
        Operation(testDescription: "flatMap(.latest)") { source, subject in
            subject.signal.prefix(value: 0).flatMap(.latest) { _ in source }
        },
        Operation(testDescription: "flatMap(.concat)") { source, subject in
            subject.signal.prefix(value: 0).flatMap(.concat) { _ in source }
        },
        Operation(testDescription: "flatMap(.first)") { source, subject in
            subject.signal.prefix(value: 0).flatMap(.first) { _ in source }
        },
    ]

    @Test("Runs of a source do not overlap", arguments: operations)
    func noOverlap(_ operation: Operation) throws {
        try explore(endsClosed: true) { host, resource in
            let subject = Subject<Int, TestError>()
            let shared = operation.make(resource.signal, subject)
            for thread in 0..<2 {
                host.startThread("subscriber \(thread)") {
                    for _ in 0..<3 { shared.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose() }
                }
            }
            host.startThread("source") {
                for number in 0..<3 {
                    resource.fail()
                    subject.send(number)
                    resource.complete()
                }
            }
        }
    }

    /// One thread ends the resource's signal, and another one the operator that uses it.
    @Test("Runs of a source for one subscription do not overlap", arguments: restarting)
    func noOverlapInOneSubscription(_ operation: Operation) throws {
        try explore(endsClosed: false) { host, resource in
            let (subject, stop) = (Subject<Int, TestError>(), Subject<Int, TestError>())
            operation.make(resource.signal.take(until: stop.signal), subject)
                .subscribe(onValue: { _ in }, onTermination: { _ in })
            host.startThread("source") {
                for _ in 0..<3 {
                    resource.complete()
                    resource.fail()
                }
            }
            host.startThread("stop") { for number in 0..<3 { stop.send(number) } }
            host.startThread("subject") { for number in 1...3 { subject.send(number) } }
        }
    }

    /// Explores threads of a host that use a resource, which must never be open twice.
    private func explore(
        endsClosed: Bool,
        _ start: @escaping @Sendable (SimulatedHost, ExclusiveResource) -> Void
    ) throws {
        for interleaving in InterleavingLaws.interleavings {
            try Simulation.explore(seeds: 1...Self.seeds) { world in
                world.interleaving = interleaving
                let (resource, host) = (ExclusiveResource(), world.host("host"))
                host.start { loop in
                    start(host, resource)
                    return loop
                }
                let isIdle = try world.runUntilIdle(limit: .seconds(1_000_000))
                world.check(isIdle, "the world did not become idle")
                world.check(!resource.hasOverlapped, "the resource was opened twice")
                if endsClosed { world.check(resource.users == 0, "the resource is still open") }
                try world.run(for: .zero)
            }
        }
    }

    private static let seeds = 1 + InterleavingLaws.count / 5
}
