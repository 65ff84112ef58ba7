// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import Testing

/// `group(by:)`: disposing the outer subscription stops the groups (law 1).
@Suite struct GroupTests {
    @Test("Disposing inside the outer observer stops the group")
    func disposingInsideTheOuterObserverSilencesTheGroup() {
        let subject = Subject<Int, Never>()
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

    @Test("Disposing inside a group stops its other observers")
    func disposingInsideAGroupSilencesTheOthers() {
        let subject = Subject<Int, Never>()
        let subscription = SignalSubscription()
        let log = Log<Int>()
        subject.signal.group(by: { _ in 0 }).subscribe(in: subscription) { group in
            group.signal.subscribe { value in
                log.add(value)
                // A value sent during a delivery waits until the delivery has finished.
                if value == 1 { subject.send(2) }
                subscription.dispose()
            }
            group.signal.subscribe { log.add($0 * 10) }
        }
        subject.send(1)
        #expect(log.entries == [1])
    }

    @Test("A paused group sends nothing after the disposal")
    func aPausedGroupSendsNothingAfterTheDisposal() {
        let subject = Subject<Int, Never>()
        let (subscription, inner) = (SignalSubscription(), SignalSubscription())
        let groups = Log<SignalGroup<Int, Int, Never>>()
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

    @Test("A disposal after the termination does not stop a paused group", arguments: [false, true])
    func aDisposalAfterTheTermination(_ isTaken: Bool) {
        let subject = Subject<Int, Never>()
        let (subscription, inner) = (SignalSubscription(), SignalSubscription())
        let log = Log<Int>()
        let source = isTaken ? subject.signal.take(2) : subject.signal
        source.group(by: { _ in 0 }).subscribe(in: subscription) { group in
            group.signal.subscribe(in: inner, onValue: { log.add($0) }, onTermination: { _ in log.add(-1) })
        }
        subject.send(1)
        let token = inner.pause()
        subject.send(2)
        subject.complete()
        subscription.dispose()
        token.dispose()
        #expect(log.entries == [1, 2, -1])
    }

    /// A termination is not a disposal: a paused group sends its values when it is resumed.
    @Test("After the termination a paused group sends its values when resumed")
    func aPausedGroupSendsWhatItHasKeptAfterTheTermination() {
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
