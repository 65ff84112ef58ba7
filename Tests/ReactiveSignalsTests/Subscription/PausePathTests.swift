// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Several threads pass pauses on through the same subscriptions (Docs/Decisions/0010-a-pause-locks-its-path.md).
@Suite struct PausePathTests {
    /// Subscriptions with random links, of which each leads from a lower index to a higher one.
    private struct Graph: Sendable {
        let all: [SignalSubscription]
        /// For each subscription, the indices of those that are paused with it.
        let reached: [[Int]]

        init(_ random: inout SplitMix64) {
            let all = (0..<12).map { _ in SignalSubscription() }
            var reached: [Set<Int>] = []
            for index in all.indices.reversed() {
                var below: Set<Int> = []
                for input in all.indices where input > index && Int.random(in: 0..<3, using: &random) == 0 {
                    all[index].passPauses(to: all[input], .asItIs, resumesLast: Bool.random(using: &random))
                    below.insert(input)
                    below.formUnion(reached[all.count - 1 - input])
                }
                reached.append(below)
            }
            self.all = all
            self.reached = reached.reversed().map { $0.sorted() }
        }
    }

    @Test("When a pause returns, it is in force in all inputs, also if another thread passes it on", arguments: 0..<20)
    func aPauseIsInForceInAllInputs(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let graph = Graph(&random)
        let missing = Box(0)
        onThreads(3) { thread in
            var random = SplitMix64(seed: seed << 8 + UInt64(thread))
            for _ in 0..<Platform.rounds(1000) {
                let index = Int.random(in: graph.all.indices, using: &random)
                let pause = graph.all[index].pause()
                if !graph.reached[index].allSatisfy({ graph.all[$0].isPaused }) { missing.increment() }
                pause.dispose()
            }
        }
        #expect(missing.value == 0)
        #expect(graph.all.allSatisfy { !$0.isPaused })
    }

    private static let kinds = [PauseKind.bySubscriber, .byOperator, .byQueue]

    @Test("No count is wrong if threads pause, link and dispose the same subscriptions", arguments: 0..<20)
    func noCountIsWrongAfterwards(_ seed: UInt64) {
        for round in 0..<UInt64(Platform.rounds(20)) {
            var random = SplitMix64(seed: seed << 16 + round)
            let graph = Graph(&random)
            let ended = Int.random(in: graph.all.indices, using: &random)
            onThreads(3) { thread in
                var random = SplitMix64(seed: seed << 16 + round << 2 + UInt64(thread))
                for step in 0..<50 {
                    let subscription = graph.all.randomElement(using: &random)!
                    let kind = Self.kinds.randomElement(using: &random)!
                    subscription.addPause(kind)
                    // A link that would close a cycle is refused.
                    if step % 10 == 0 {
                        let passing = [PausePassing.asItIs, .inOrder, .kindOnly].randomElement(using: &random)!
                        subscription.passPauses(to: graph.all.randomElement(using: &random)!, passing)
                    }
                    if thread == 0, step == 25 { graph.all[ended].dispose() }
                    subscription.removePause(kind)
                }
            }
            let left = graph.all.filter { !$0.isDisposed }
            #expect(left.allSatisfy { !$0.isPaused })
            // The numbers of each kind are zero too, and not below it.
            for subscription in left {
                subscription.addPause(.byOperator)
                #expect(subscription.isPaused && subscription.letsFailuresPass)
                subscription.addPause(.bySubscriber)
                #expect(!subscription.letsFailuresPass)
                subscription.removePause(.byOperator)
                #expect(subscription.isPaused && !subscription.letsFailuresPass)
                subscription.removePause(.bySubscriber)
                #expect(!subscription.isPaused)
            }
        }
    }

    @Test("A disposal withdraws a pause only after the pause has reached all inputs")
    func aDisposalWithdrawsOnlyWhatHasArrived() {
        for _ in 0..<Platform.rounds(50) {
            let (subscription, last) = (SignalSubscription(), SignalSubscription())
            // The pause takes a while until it reaches the last input.
            for number in 0..<2000 {
                let child = subscription.makeChild()
                // The first child ends directly after the pause has been withdrawn from `last`.
                if number == 0 { child.onDispose { #expect(!last.isPaused) } }
            }
            subscription.passPauses(to: last, .asItIs)
            let pauses = Box(0)
            onThreads(2) { thread in
                if thread == 0 {
                    while !subscription.isDisposed {
                        subscription.pause().dispose()
                        pauses.increment()
                    }
                } else {
                    while pauses.value == 0 { YieldPoint.yieldProcessor() }
                    subscription.dispose()
                }
            }
            #expect(!last.isPaused)
        }
    }
}
