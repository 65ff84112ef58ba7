// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

@Suite struct SharingTests {
    private let time = Timeline()

    @Test("A replay subject sends its last values to late subscribers")
    func aReplaySubjectSendsItsLastValuesToWhoComesLater() {
        let subject = ReplaySubject<Int, TestError>(limit: 2)
        let early = subject.signal.record()
        for value in 1...3 { subject.send(value) }
        let late = subject.signal.record()
        subject.send(4)
        subject.fail(.broken)
        subject.send(5)
        subject.complete()
        let last = subject.signal.record()
        #expect(early.events == (1...4).map { .value($0) } + [.ended(.failed(.broken))])
        #expect(late.events == (2...4).map { .value($0) } + [.ended(.failed(.broken))])
        #expect(last.events == [.value(3), .value(4), .ended(.failed(.broken))])
        let none = ReplaySubject<Int, Never>(limit: 0)
        none.send(1)
        #expect(none.signal.record().values.isEmpty)
    }

    @Test("A paused subscriber receives the replay after its resume")
    func aReplayObeysAPause() {
        let subject = ReplaySubject<Int, Never>(limit: 3)
        for value in 1...3 { subject.send(value) }
        let subscription = SignalSubscription()
        let hold = subscription.pause()
        let recorder = subject.signal.record(in: subscription)
        subject.send(4)
        subject.complete()
        #expect(recorder.events.isEmpty)
        hold.dispose()
        #expect(recorder.events == (1...4).map { .value($0) } + [.ended(.completed)])
    }

    /// A subscriber receives every value once, although other threads send during the subscription.
    @Test("Subscribing to a replay during sends loses and repeats nothing")
    func subscribingToAReplayWhileOthersSend() {
        for _ in 0..<20 {
            let subject = ReplaySubject<Int, Never>(limit: .max)
            let recorders = Log<Recorder<Int, Never>>()
            onThreads(3) { thread in
                for number in 0..<200 {
                    if thread == 0 {
                        subject.send(number)
                    } else {
                        if number % 20 == 0 { recorders.add(subject.signal.record()) }
                    }
                }
            }
            for recorder in recorders.entries { #expect(recorder.values == Array(0..<200)) }
        }
    }

    @Test("A subscriber during a delivery receives the replay and later values")
    func replayingFromInsideAValue() {
        let subject = ReplaySubject<Int, Never>(limit: 1)
        let late = Recorder<Int, Never>()
        subject.signal.take(1).subscribe { _ in
            subject.subscribe(late, in: SignalSubscription())
            subject.send(2)
        }
        subject.send(1)
        #expect(late.values == [1, 2])
    }

    @Test func replayLazily() throws {
        let source = time.cold("a-b-c|")
        let replayed = source.signal.replayLazily(upTo: 1)
        #expect(source.subscriptions.isEmpty)
        let first = time.scheduler.record(replayed)
        try time.scheduler.advance(by: .seconds(3))
        let second = time.scheduler.record(replayed)
        second.subscription.dispose()
        try time.scheduler.advance(by: .seconds(9))
        let third = time.scheduler.record(replayed)
        #expect(first.marbles { $0 } == "a-b-c|")
        #expect(second.values == ["b"])
        #expect(third.marbles { $0 } == "(c|)")
        time.expect(source, ["^----!"])
    }

    @Test("A replayed source is disposed with its last signal or subscriber")
    func aReplayedSourceGoesWithTheLastWhoKnowsIt() {
        let released = Box(0)
        var replayed: Signal<Int, Never>? = Signal<Int, Never>.never
            .handleEvents(onDispose: { released.value += 1 }).replayLazily(upTo: 1)
        let observer = replayed?.subscribe()
        replayed = nil
        #expect(released.value == 0)
        observer?.dispose()
        #expect(released.value == 1)
    }

    @Test("share(replay:) stores values while there are subscribers")
    func shareReplayWhileConnected() throws {
        let source = time.cold("a-b-c-d|")
        let shared = source.signal.share(replay: 2)
        let first = time.scheduler.record(shared)
        try time.scheduler.advance(by: .seconds(4))
        let second = time.scheduler.record(shared)
        first.subscription.dispose()
        #expect(second.values == ["b", "c"])
        second.subscription.dispose()
        // The last subscriber has disposed the source, so the next one starts it again and receives no old values.
        let third = time.scheduler.record(shared)
        #expect(third.values.isEmpty)
        try time.scheduler.advance(by: .seconds(9))
        #expect(third.values == ["a", "b", "c", "d"])
        // The same after the termination.
        let fourth = time.scheduler.record(shared)
        #expect(fourth.values.isEmpty)
        try time.scheduler.advance(by: .seconds(1))
        #expect(fourth.values == ["a"])
        fourth.subscription.dispose()
        time.expect(source, ["^---!", "----^------!", "-------------^!"])
    }

    @Test("share(replay:scope: .forever) stores values without subscribers")
    func shareReplayForever() throws {
        let source = time.cold("a-b-c|")
        let shared = source.signal.share(replay: 1, scope: .forever)
        let first = time.scheduler.record(shared)
        first.subscription.dispose()
        try time.scheduler.advance(by: .seconds(9))
        let second = time.scheduler.record(shared)
        #expect(second.marbles { $0 } == "(c|)")
        time.expect(source, ["^----!"])
    }

    @Test("The last subscriber drops the stored values")
    func theLastSubscriberDropsTheValues() {
        let subject = Subject<Witness, Never>()
        let shared = subject.signal.share(replay: .max)
        weak var witness: Witness?
        let subscription = shared.subscribe()
        do {
            let value = Witness()
            witness = value
            subject.send(value)
        }
        #expect(witness != nil)
        subscription.dispose()
        #expect(witness == nil)
        withExtendedLifetime(shared) {}
    }

    @Test("A paused subscriber of share(replay:) pauses the source, unless there is a policy")
    func aPausedSubscriberPausesTheSource() {
        for policy in [BufferPolicy?.none, .unbounded] {
            let subject = Subject<Int, Never>()
            let shared = subject.signal.share(replay: 1, whilePaused: policy)
            let other = shared.record()
            subject.send(1)
            let subscription = SignalSubscription()
            let pause = subscription.pause()
            let paused = shared.record(in: subscription)
            subject.send(2)
            #expect(other.values == (policy == nil ? [1] : [1, 2]))
            #expect(paused.values.isEmpty)
            pause.dispose()
            #expect(other.values == [1, 2])
            #expect(paused.values == [1, 2])
        }
    }

    @Test("A connectable starts its source once")
    func aConnectableStartsOnce() {
        let starts = Box(0)
        let source = Signal<Int, Never>(values: 1...3).handleEvents(onSubscribe: { starts.value += 1 })
        let connectable = source.multicast()
        let recorders = [connectable.signal.record(), connectable.signal.record()]
        #expect(recorders[0].events.isEmpty)
        let connection = connectable.connect()
        #expect(connectable.connect() === connection)
        #expect(starts.value == 1)
        for recorder in recorders { #expect(recorder.events == (1...3).map { .value($0) } + [.ended(.completed)]) }
    }

    @Test(
        "A buffer lets the source continue during a pause",
        arguments: [
            (OverflowPolicy.pauseSource, [1, 2, 3, 4, 5, 6, 7], 4),
            (.dropOldest, [1, 5, 6, 7], 7),
            (.dropNewest, [1, 2, 3, 4], 7),
        ]
    )
    func aBufferLetsTheSourceRunOn(_ policy: OverflowPolicy, _ received: [Int], _ sentDuringPause: Int) {
        let sent = Box(0)
        let subscription = SignalSubscription()
        let log = Log<Int>()
        let hold = Box<(any Disposable)?>(nil)
        Signal<Int, Never>(values: 1...7).handleEvents(onValue: { sent.value = $0 })
            .buffer(3, whenFull: policy)
            .subscribe(
                in: subscription,
                onValue: { value in
                    log.add(value)
                    if value == 1 { hold.value = subscription.pause() }
                },
                onTermination: { _ in log.add(-1) }
            )
        #expect(sent.value == sentDuringPause)
        #expect(log.entries == [1])
        hold.value?.dispose()
        #expect(log.entries == received + [-1])
        #expect(sent.value == 7)
    }
}
