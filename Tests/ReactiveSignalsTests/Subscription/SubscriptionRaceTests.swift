// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// One thread disposes subscriptions while another thread uses them.
@Suite struct SubscriptionRaceTests {
    private let subscriptions = (0..<Platform.rounds(4_000)).map { _ in SignalSubscription() }

    @Test("A teardown runs once although another thread disposes")
    func aTeardownRunsOnceThoughAnotherThreadEnds() throws {
        let runs = subscriptions.map { _ in Box(0) }
        try ending { index, subscription in subscription.onDispose { runs[index].increment() } }
        #expect(runs.allSatisfy { $0.value == 1 })
    }

    @Test("A change listener is notified of the end once although another thread disposes")
    func whoHearsOfAllChangesHearsOfTheEndOnceThoughAnotherThreadEnds() throws {
        let runs = subscriptions.map { _ in Box(0) }
        try ending { index, subscription in
            subscription.onChange { change in if change == .over { runs[index].increment() } }
        }
        #expect(runs.allSatisfy { $0.value == 1 })
    }

    @Test("An observer added while another thread disposes is not retained", arguments: 0..<3)
    func anObserverThatComesWhileAnotherThreadEndsItIsNotKept(_ kind: Int) throws {
        let (subject, property) = (Subject<Int, Never>(), Property(0))
        let signal =
            switch kind {
            case 0: subject.signal
            case 1: property.signal
            default: subject.signal.replayLazily(upTo: 1)
            }
        let witnesses = subscriptions.map { _ in Box<UnsafeTransfer<Weak<Witness>>?>(nil) }
        try ending { index, subscription in
            let witness = Witness()
            witnesses[index].value = UnsafeTransfer(Weak(witness))
            signal.subscribe(in: subscription, onValue: { _ in witness.touch() })
        }
        subject.send(1)
        property.value = 1
        #expect(witnesses.allSatisfy { $0.value?.value.object == nil })
    }

    @Test("A child is disposed although another thread disposes the parent")
    func aChildEndsThoughAnotherThreadEnds() throws {
        let runs = subscriptions.map { _ in Box(0) }
        try ending { index, subscription in subscription.makeChild().onDispose { runs[index].increment() } }
        #expect(runs.allSatisfy { $0.value == 1 })
    }

    @Test("A linked subscription resumes although another thread disposes")
    func whatWaitsWithItGoesOnThoughAnotherThreadEnds() throws {
        let waiting = subscriptions.map { subscription in
            let waiting = SignalSubscription()
            subscription.passPauses(to: waiting, .asItIs)
            return waiting
        }
        try ending { _, subscription in subscription.pause().dispose() }
        #expect(waiting.allSatisfy { !$0.isPaused })
        // The count is not below zero either: one pause suffices.
        for subscription in waiting { subscription.addPause() }
        #expect(waiting.allSatisfy { $0.isPaused })
    }

    @Test("Two threads cannot close a cycle of links together")
    func twoThreadsCannotCloseACycle() throws {
        let pairs = Box(subscriptions.map { _ in (SignalSubscription(), SignalSubscription()) })
        try racing(
            { index, _ in
                let (first, second) = pairs.value[index]
                first.passPauses(to: second, .asItIs)
            },
            { index, _ in
                let (first, second) = pairs.value[index]
                second.passPauses(to: first, .asItIs)
            }
        )
        let left = pairs.value.map { Weak($0.0) }
        pairs.value = []
        // Two subscriptions that are linked to each other would retain each other.
        #expect(left.allSatisfy { $0.object == nil })
    }

    /// A listener that compared the last notification instead of the pauses would wait forever.
    @Test("A listener added while a resume is pending is notified of the resume", arguments: [false, true])
    func whoListensWhileTheEndOfAPauseIsDueHearsOfIt(_ isBehindATeardown: Bool) {
        let subscription = SignalSubscription()
        if isBehindATeardown { subscription.onDispose {} }
        let log = Log<String>()
        let hold = subscription.pause()
        subscription.onFlowChange { isPaused in
            log.add("first \(isPaused)")
            guard isPaused else { return }
            hold.dispose()
            #expect(subscription.isPauseReported && !subscription.isPaused)
            subscription.onFlowChange { isPaused in log.add("second \(isPaused)") }
        }
        #expect(log.entries == ["first true", "first false", "second true", "second false"])
        #expect(!subscription.isPauseReported)
    }

    /// Disposes each subscription while `step` uses it on another thread.
    private func ending(_ step: @escaping @Sendable (Int, SignalSubscription) -> Void) throws {
        try racing({ _, subscription in subscription.dispose() }, step)
    }

    /// Calls both closures for each subscription, at the same time on two threads.
    private func racing(
        _ first: @escaping @Sendable (Int, SignalSubscription) -> Void,
        _ second: @escaping @Sendable (Int, SignalSubscription) -> Void
    ) throws {
        let (subscriptions, reached) = (subscriptions, [Box(0), Box(0)])
        let threads = [0, 1].map { side in
            TestThread {
                for (index, subscription) in subscriptions.enumerated() {
                    reached[side].increment()
                    // The threads stay as close together as two processors allow. On one processor they yield.
                    var spins = 0
                    while reached[1 - side].value <= index {
                        spins += 1
                        if spins % 1_000 == 0 { sched_yield() }
                    }
                    if side == 0 { first(index, subscription) } else { second(index, subscription) }
                }
            }
        }
        for thread in threads { try thread.join() }
    }
}
