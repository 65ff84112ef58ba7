// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// The constructions in which operators of other libraries deadlock: the delivery of one thread sends into the
/// delivery of another thread, and vice versa. A lock held while user code runs would deadlock each test.
@Suite struct InversionTests {
    @Test("Two threads may send into each other's deliveries", arguments: OperatorCase.all)
    func twoThreadsThatSendIntoEachOther(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let (first, second) = (Subject<Int, TestError>(), Subject<Int, TestError>())
        let (left, right) = (Log<Int>(), Log<Int>())
        bench.apply(first.signal).subscribe(
            onValue: { value in
                left.add(value)
                if value < 1000 { second.send(value + 1000) }
            },
            onTermination: neverFails()
        )
        bench.apply(second.signal).subscribe(
            onValue: { value in
                right.add(value)
                if value < 1000 { first.send(value + 1000) }
            },
            onTermination: neverFails()
        )
        bench.settle()
        onThreads(2) { thread in
            for value in 0..<100 { (thread == 0 ? first : second).send(value) }
        }
        bench.settle()
        first.complete()
        bench.settle()
        second.complete()
        bench.settle()
        guard operation.traits.isDisjoint(with: [.conflates, .sendsAtEnd, .drops]) else { return }
        #expect(left.entries.sorted() == Array(0..<100) + Array(1000..<1100))
        #expect(right.entries.sorted() == Array(0..<100) + Array(1000..<1100))
    }

    /// During a delivery, each of two threads subscribes to the source that the other one delivers, and disposes the
    /// subscription.
    @Test("Two threads may subscribe to each other's deliveries", arguments: OperatorCase.all)
    func twoThreadsThatSubscribeToEachOther(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subjects = [Subject<Int, TestError>(), Subject<Int, TestError>()]
        let signals = subjects.map { bench.apply($0.signal).share() }
        let seen = Box(0)
        for side in 0...1 {
            signals[side].subscribe(
                onValue: { _ in
                    seen.update { $0 += 1 }
                    let passing = SignalSubscription()
                    Signal.combineLatest(signals[0], signals[1]).subscribe(
                        in: passing,
                        onValue: { _ in },
                        onTermination: neverFails()
                    )
                    signals[1 - side].take(1).subscribe(onValue: { _ in }, onTermination: neverFails())
                    passing.dispose()
                },
                onTermination: neverFails()
            )
        }
        bench.settle()
        onThreads(2) { thread in
            for value in 0..<50 { subjects[thread].send(value) }
        }
        bench.settle()
        for subject in subjects { subject.complete() }
        bench.settle()
        #expect(seen.value > 0)
    }

    /// The observer of the replay waits for another thread that sends.
    @Test("A replay does not block other threads")
    func aReplayHoldsNobodyUp() {
        let subject = ReplaySubject<Int, Never>(limit: 4)
        for value in 1...4 { subject.send(value) }
        let log = Log<Int>()
        subject.signal.subscribe { value in
            log.add(value)
            if value < 5 { onThreads(1) { _ in subject.send(value + 10) } }
        }
        #expect(log.entries == [1, 2, 3, 4, 11, 12, 13, 14])
    }

    @Test("A shared replay does not block other threads")
    func aSharedReplayHoldsNobodyUp() {
        let source = Subject<Int, Never>()
        let replayed = source.signal.replayLazily(upTo: 2)
        replayed.subscribe { _ in }
        source.send(1)
        source.send(2)
        let log = Log<Int>()
        replayed.subscribe { value in
            log.add(value)
            if value < 3 {
                onThreads(2) { thread in
                    if thread == 0 { source.send(value + 10) } else { replayed.take(1).subscribe { _ in } }
                }
            }
        }
        #expect(log.entries == [1, 2, 11, 12])
    }

    /// The teardown of one subscription runs while another subscription is created.
    @Test("Teardowns and subscriptions of a shared source do not deadlock")
    func teardownsAndSubscriptionsOfASharedSourceDoNotWait() {
        let source = Signal<Int, Never> { emitter, subscription in
            emitter.send(1)
            subscription.onDispose { onThreads(1) { _ in } }
        }
        let shared = source.share()
        let seen = Box(0)
        onThreads(4) { _ in
            for _ in 0..<50 {
                let subscription = shared.subscribe { _ in seen.update { $0 += 1 } }
                subscription.dispose()
            }
        }
        #expect(seen.value > 0)
    }
}
