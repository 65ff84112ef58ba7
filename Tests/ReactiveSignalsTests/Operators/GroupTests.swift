import ReactiveCore
import ReactiveSignals
import Testing

/// `group(by:)`: disposing the outer subscription ends what its groups send (law 1).
@Suite struct GroupTests {
    @Test func disposingInsideTheOuterObserverSilencesTheGroup() {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let log = Log<Int>()
        subject.signal.group(by: { $0 % 2 }).subscribe(in: subscription) { group in
            group.signal.subscribe(onValue: { log.add($0) }, onTermination: { _ in log.add(-1) })
            subscription.dispose()
        }
        for value in 1...3 { subject.send(value) }
        subject.complete()
        #expect(log.entries.isEmpty)
    }

    @Test func disposingInsideAGroupSilencesTheOthers() {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let log = Log<Int>()
        subject.signal.group(by: { _ in 0 }).subscribe(in: subscription) { group in
            group.signal.subscribe { value in
                log.add(value)
                // Sent during a delivery: it waits for the end of that.
                if value == 1 { subject.send(2) }
                subscription.dispose()
            }
            group.signal.subscribe { log.add($0 * 10) }
        }
        subject.send(1)
        #expect(log.entries == [1])
    }

    @Test func aPausedGroupSendsNothingAfterTheDisposal() {
        let subject = Subject<Int, TestError>()
        let (subscription, inner) = (SignalSubscription(), SignalSubscription())
        let groups = Log<SignalGroup<Int, Int, TestError>>()
        let log = Log<Int>()
        subject.signal.group(by: { _ in 0 }).subscribe(in: subscription) { group in
            groups.add(group)
            group.signal.subscribe(in: inner, onValue: { log.add($0) }, onTermination: { _ in log.add(-1) })
        }
        subject.send(1)
        let token = inner.pause()
        subject.send(2)
        subscription.dispose()
        subject.send(3)
        token.dispose()
        groups.entries[0].signal.subscribe(onValue: { log.add($0) }, onTermination: { _ in log.add(-1) })
        #expect(log.entries == [1])
    }

    /// The termination is no disposal: what waits in a group is sent when that is resumed.
    @Test func aPausedGroupSendsWhatItHasKeptAfterTheTermination() {
        let subject = Subject<Int, TestError>()
        let inner = SignalSubscription()
        let log = Log<Int>()
        let outer = subject.signal.group(by: { _ in 0 })
            .handleEvents(onValue: { group in
                group.signal.subscribe(in: inner, onValue: { log.add($0) }, onTermination: { _ in log.add(-1) })
            }).ignoreValues(Int.self).record()
        subject.send(1)
        let token = inner.pause()
        subject.send(2)
        subject.complete()
        #expect(outer.events == [.ended(.completed)])
        token.dispose()
        #expect(log.entries == [1, 2, -1])
    }
}
