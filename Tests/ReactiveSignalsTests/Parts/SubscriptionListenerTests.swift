import ReactiveCore
import ReactiveSignals
import Testing

/// Who listens to a subscription, whatever it listens to and whoever came before it.
@Suite struct SubscriptionListenerTests {
    enum Kind: String, CaseIterable {
        case end, flow, changes
    }

    /// All orders of three, also with two or three of one kind.
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

    /// What those hear who hear of that.
    private func heard(_ what: String, by order: [Kind], but deaf: Kind) -> [String] {
        order.indices.filter { order[$0] != deaf }.map { "\($0) \(what)" }
    }

    @Test(arguments: orders)
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

    @Test(arguments: orders)
    func whoComesDuringAPauseHearsOfItAtOnce(_ order: [Kind]) {
        let subscription = SignalSubscription()
        let hold = subscription.pause()
        for (number, kind) in order.enumerated() { listen(kind, number, to: subscription, with: Witness()) }
        let paused = heard("paused", by: order, but: .end)
        #expect(log.entries == paused)
        hold.dispose()
        #expect(log.entries == paused + heard("resumed", by: order, but: .end))
    }

    @Test(arguments: orders)
    func whoComesAfterTheEndHearsOfThatAlone(_ order: [Kind]) {
        let subscription = SignalSubscription()
        _ = subscription.pause()
        subscription.dispose()
        for (number, kind) in order.enumerated() { listen(kind, number, to: subscription, with: Witness()) }
        #expect(log.entries == heard("over", by: order, but: .flow))
    }

    @Test(arguments: Kind.allCases)
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
