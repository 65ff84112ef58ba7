// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import Testing

/// Listeners of a subscription, for all kinds of events and all orders of registration.
@Suite struct SubscriptionListenerTests {
    enum Kind: String, CaseIterable {
        case end, flow, changes
    }

    /// All orders of three kinds, also with repetitions.
    static let orders = Kind.allCases.flatMap { first in
        Kind.allCases.flatMap { second in Kind.allCases.map { third in [first, second, third] } }
    }

    private let log = Log<String>()

    private func listen(_ kind: Kind, _ number: Int, to subscription: SignalSubscription, with witness: Witness) {
        switch kind {
        case .end:
            subscription.onDispose { [log] in
                witness.touch()
                log.add("\(number) over")
            }
        case .flow:
            subscription.onFlowChange { [log] isPaused in
                witness.touch()
                log.add("\(number) \(isPaused ? "paused" : "resumed")")
            }
        case .changes:
            subscription.onChange { [log] change in
                witness.touch()
                log.add("\(number) \(change)")
            }
        }
    }

    /// The notifications of an event for all listeners except those of one kind.
    private func heard(_ what: String, by order: [Kind], but deaf: Kind) -> [String] {
        order.indices.filter { order[$0] != deaf }.map { "\($0) \(what)" }
    }

    @Test("Each listener is notified of its events, in the order of registration", arguments: orders)
    func eachHearsOfItsOwnInTheOrderInWhichTheyCame(_ order: [Kind]) {
        let subscription = SignalSubscription()
        weak var gone: Witness?
        do {
            let witness = Witness()
            gone = witness
            for (number, kind) in order.enumerated() { listen(kind, number, to: subscription, with: witness) }
        }
        let (first, second) = (subscription.pause(), subscription.pause())
        let paused = heard("paused", by: order, but: .end)
        #expect(log.entries == paused)
        #expect(subscription.isPauseReported == !paused.isEmpty)
        first.dispose()
        second.dispose()
        #expect(!subscription.isPauseReported)
        #expect(gone != nil)
        subscription.dispose()
        subscription.dispose()
        let (resumed, over) = (heard("resumed", by: order, but: .end), heard("over", by: order, but: .flow))
        #expect(log.entries == paused + resumed + over)
        #expect(gone == nil)
    }

    @Test("A listener added during a pause is notified of the pause immediately", arguments: orders)
    func whoComesDuringAPauseHearsOfItAtOnce(_ order: [Kind]) {
        let subscription = SignalSubscription()
        let hold = subscription.pause()
        for (number, kind) in order.enumerated() { listen(kind, number, to: subscription, with: Witness()) }
        let paused = heard("paused", by: order, but: .end)
        #expect(log.entries == paused)
        hold.dispose()
        #expect(log.entries == paused + heard("resumed", by: order, but: .end))
    }

    @Test("A listener added after the disposal is notified only of the disposal", arguments: orders)
    func whoComesAfterTheEndHearsOfThatAlone(_ order: [Kind]) {
        let subscription = SignalSubscription()
        _ = subscription.pause()
        subscription.dispose()
        for (number, kind) in order.enumerated() { listen(kind, number, to: subscription, with: Witness()) }
        #expect(log.entries == heard("over", by: order, but: .flow))
    }

    @Test("Listeners are released with a subscription that is never disposed", arguments: Kind.allCases)
    func whatAListenerHoldsGoesWithASubscriptionThatNobodyEnded(_ kind: Kind) {
        weak var gone: Witness?
        do {
            let (subscription, witness) = (SignalSubscription(), Witness())
            gone = witness
            for number in 0..<2 { listen(kind, number, to: subscription, with: witness) }
        }
        #expect(gone == nil && log.entries.isEmpty)
    }
}
