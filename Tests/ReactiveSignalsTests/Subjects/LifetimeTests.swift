// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Laws 1 and 5: a disposed subscription starts nothing and calls nothing, and releases everything that it started.
@Suite struct LifetimeTests {
    @Test("A shared source is disposed with its last observer, even if the signal is released")
    func aSharedSourceIsTornDownAlsoWhereNobodyHasTheSignal() {
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

    @Test("A shared run is released with its observers")
    func aSharedRunIsFreedWithItsObservers() {
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

    @Test("handleEvents reports no termination after a disposal")
    func handleEventsHearsNoEndAfterADisposal() {
        let log = Log<String>()
        let subscription = SignalSubscription()
        Signal<Int, Never>.just(1)
            .handleEvents(onTermination: { _ in log.add("ended") }, onDispose: { log.add("disposed") })
            .subscribe(in: subscription, onValue: { _ in subscription.dispose() })
        #expect(log.entries == ["disposed"])
    }

    @Test("A source does not start in a disposed subscription")
    func aSourceDoesNotStartInASubscriptionThatIsOver() {
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
