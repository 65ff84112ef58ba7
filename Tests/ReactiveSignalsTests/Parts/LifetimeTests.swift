import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Laws 1 and 5: nothing starts, and nothing is called, in a subscription that is over; what was started is given back.
@Suite struct LifetimeTests {
    @Test func aSharedSourceIsTornDownAlsoWhereNobodyHasTheSignal() {
        let released = Box(0)
        let source = Signal<Int, Never>.never.handleEvents(onDispose: { released.value += 1 })
        let alone = source.share().subscribe()
        #expect(released.value == 0)
        alone.dispose()
        #expect(released.value == 1)
        let shared = source.share()
        let two = [shared.subscribe(), shared.subscribe()]
        two[0].dispose()
        two[0].dispose()
        #expect(released.value == 1)
        two[1].dispose()
        #expect(released.value == 2)
    }

    @Test func aSharedRunIsFreedWithItsObservers() {
        weak var witness: Witness?
        let subject = Subject<Int, Never>()
        do {
            let strong = Witness()
            witness = strong
            subject.signal.handleEvents(onValue: { _ in strong.touch() }).share().subscribe().dispose()
        }
        #expect(witness == nil)
        withExtendedLifetime(subject) {}
    }

    @Test func handleEventsHearsNoEndAfterADisposal() {
        let log = Log<String>()
        let subscription = SignalSubscription()
        Signal<Int, Never>.just(1)
            .handleEvents(onTermination: { _ in log.add("ended") }, onDispose: { log.add("disposed") })
            .subscribe(in: subscription, onValue: { _ in subscription.dispose() })
        #expect(log.entries == ["disposed"])
    }

    @Test func aSourceDoesNotStartInASubscriptionThatIsOver() {
        let subscription = SignalSubscription()
        let starts = Box(0)
        Signal<Int, Never>.just(1).flatMap { _ in
            subscription.dispose()
            return Signal<Int, Never> { _, _ in starts.value += 1 }
        }.subscribe(in: subscription)
        #expect(subscription.isDisposed)
        #expect(starts.value == 0)
    }
}
