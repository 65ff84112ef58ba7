// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import SchedulerConformance
import Testing

/// Law 9: which values a failure overtakes.
@Suite struct FailureLaws {
    /// The seeds of random programs. Under a sanitizer a tenth suffices, because each program runs on one thread.
    private static func seeds(_ count: Int) -> Range<UInt64> { 0..<UInt64(Platform.rounds(count)) }

    @Test(
        "In random programs, operators that delay values match their models",
        arguments: FailureCase.delaying,
        FailureRoute.all
    )
    func randomProgramsDoWhatTheModelDoes(_ operation: FailureCase, _ route: FailureRoute) {
        for seed in FailureLaws.seeds(40) {
            FailureProgram(seed: seed, inputs: operation.model().inputs).compare(operation, route)
        }
    }

    @Test("In random programs, operators with inner signals match their models", arguments: FailureCase.racing)
    func randomProgramsWithSignalsInsideDoWhatTheModelDoes(_ operation: FailureCase) {
        for seed in FailureLaws.seeds(300) { FailureProgram(seed: seed, inputs: 1).compare(operation, .direct) }
    }

    @Test("Operators that delay nothing keep a failure in order", arguments: FailureCase.passing)
    func operatorsThatDelayNothingKeepTheOrder(_ operation: FailureCase) {
        for route in FailureRoute.all {
            for seed in FailureLaws.seeds(10) { FailureProgram(seed: seed, inputs: 1).compare(operation, route) }
        }
    }

    @Test("A failure ends a concat whose inner signal never ends")
    func concatOfNeverFails() {
        let subject = Subject<Int, TestError>()
        let recorder = subject.signal.flatMap(.concat) { _ in Signal<Int, TestError>.never }.record()
        subject.send(1)
        subject.send(2)
        subject.fail(.broken)
        #expect(recorder.events == [.ended(.failed(.broken))])
    }

    /// After the subscriber has resumed, the failure passes although the operator still pauses its source.
    @Test("A failure waits only for the subscriber's pause")
    func aFailureWaitsForTheSubscriberAlone() {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = subject.signal.flatMap(.concat) { _ in Signal<Int, TestError>.never }.record(in: subscription)
        let tokens = [subscription.pause(), subscription.pause()]
        for value in 1...3 { subject.send(value) }
        subject.fail(.broken)
        tokens[0].dispose()
        #expect(recorder.events.isEmpty)
        tokens[1].dispose()
        #expect(recorder.events == [.ended(.failed(.broken))])
    }

    /// The first source makes the operator pause again before the second source is notified of the resume.
    @Test("A failure passes although another source resumes first")
    func aFailurePassesWhereAnotherSourceGoesOnFirst() {
        let subjects = (0..<2).map { _ in Subject<Int, TestError>() }
        let subscription = SignalSubscription()
        let recorder = Signal.merge(subjects.map(\.signal)).flatMap(.concat) { _ in Signal<Int, TestError>.never }
            .record(in: subscription)
        let token = subscription.pause()
        subjects[0].send(1)
        subjects[1].send(2)
        subjects[1].fail(.broken)
        #expect(recorder.events.isEmpty)
        token.dispose()
        #expect(recorder.events == [.ended(.failed(.broken))])
    }

    /// Each of two operators is the other's source or subscriber.
    @Test("A failure overtakes the values that two operators delay")
    func aFailureOvertakesWhatTwoOperatorsDelay() {
        let time = Timeline().scheduler
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = subject.signal.delay(.seconds(1), on: time, limit: 2)
            .flatMap(.concat) { _ in Signal<Int, TestError>.never }
            .rateLimit(1, per: .seconds(1), on: time, limit: 1).record(in: subscription)
        for value in 1...9 { subject.send(value) }
        #expect(throws: Never.self) { try time.advance(by: .seconds(1)) }
        let token = subscription.pause()
        subject.fail(.broken)
        #expect(recorder.events.isEmpty)
        token.dispose()
        #expect(recorder.events == [.ended(.failed(.broken))])
    }

    /// A hop keeps a failure behind the values that the hop itself delays.
    @Test("A hop keeps a failure behind the values that it delays")
    func aHopKeepsTheOrderOfWhatItDelays() {
        let (loop, subject) = (ManualScheduler(), Subject<Int, TestError>())
        let recorder = subject.signal.observe(on: loop, limit: 2).record()
        for value in 1...5 { subject.send(value) }
        subject.fail(.broken)
        loop.run()
        #expect(recorder.events == (1...5).map { .value($0) } + [.ended(.failed(.broken))])
    }

    @Test(
        "A failure overtakes the values that a hop stores for a paused operator",
        arguments: [OverflowPolicy.pauseSource, .dropOldest]
    )
    func aFailureOvertakesWhatAHopHoldsForAnOperator(_ policy: OverflowPolicy) {
        let (loop, subject) = (ManualScheduler(), Subject<Int, TestError>())
        let recorder = subject.signal.observe(on: loop, limit: 2, whenFull: policy)
            .flatMap(.concat) { _ in Signal<Int, TestError>.never }.record()
        for value in 1...5 { subject.send(value) }
        loop.run()
        subject.fail(.broken)
        loop.run()
        #expect(recorder.events == [.ended(.failed(.broken))])
    }

    @Test("Operators that replace a failure lose no value")
    func whatMakesSomethingElseOfAFailureLosesNoValue() {
        let makers: [(Signal<Int, TestError>) -> Signal<Int, TestError>] = [
            { $0.flatMapError { _ in .just(9) } },
            { signal in
                let events = signal.materialize().setFailureType(to: TestError.self)
                return events.compactMap { if case .value(let value) = $0 { value } else { 9 } }
            },
            { $0.retry(upTo: 1).flatMapError { _ in .just(9) } },
        ]
        for make in makers {
            let subject = Subject<Int, TestError>()
            let gates = (0..<10).map { _ in Subject<Int, TestError>() }
            let recorder = make(subject.signal).flatMap(.concat) { gates[$0].signal }.record()
            for value in 1...3 { subject.send(value) }
            subject.fail(.broken)
            for value in [1, 2, 3, 9] {
                gates[value].send(value)
                gates[value].complete()
            }
            #expect(recorder.events == [1, 2, 3, 9].map { .value($0) } + [.ended(.completed)])
        }
    }

    /// A failure of the requests ends the replies at once. A failure of the work is a reply, which overtakes none.
    @Test("A failure of the requests arrives immediately, and a failure of the work in order")
    func requestsFailAtOnceAndWorkInItsPlace() {
        let requests = Subject<Int, TestError>()
        let never = Command<Int, Int, Never>(.concurrent()) { _ in .never }
        let stuck = requests.signal.execute(never, limit: 2) { _, _ in -1 }.record()
        for value in 1...5 { requests.send(value) }
        requests.fail(.broken)
        #expect(stuck.events == [.ended(.failed(.broken))])

        let work = Subject<Int, TestError>()
        let command = Command<Int, Int, TestError> { _ in work.signal }
        let gates = (0..<5).map { _ in Subject<Int, TestError>() }
        let recorder = Signal<Int, TestError>.just(0).execute(command) { _, _ in 4 }
            .flatMap(.concat) { gates[$0].signal }.record()
        for value in 1...3 { work.send(value) }
        work.fail(.broken)
        for value in 1...4 {
            gates[value].send(value)
            gates[value].complete()
        }
        #expect(recorder.events == (1...4).map { .value($0) } + [.ended(.completed)])
    }

    @Test(
        "A failure arrives although other threads pause and resume",
        arguments: [FlattenStrategy.concat, .concurrent(limit: 2)]
    )
    func aFailureArrivesWhateverPauses(_ strategy: FlattenStrategy) {
        for _ in 0..<Platform.rounds(200) {
            let subject = Subject<Int, TestError>()
            let subscription = SignalSubscription()
            let recorder = subject.signal.flatMap(strategy) { _ in Signal<Int, TestError>.never }
                .record(in: subscription)
            onThreads(3) { thread in
                for number in 0..<20 {
                    if thread == 0 { subject.send(number) } else { subscription.pause().dispose() }
                }
                if thread == 0 { subject.fail(.broken) }
            }
            #expect(recorder.events == [.ended(.failed(.broken))])
        }
    }

    @Test(
        "Values of one sender keep their order while other threads pause and resume",
        arguments: [FlattenStrategy.merge, .concurrent(limit: 2), .concat]
    )
    func valuesOfOneSenderKeepTheirOrder(_ strategy: FlattenStrategy) {
        for _ in 0..<Platform.rounds(200) {
            let subject = Subject<Int, TestError>()
            let subscription = SignalSubscription()
            let recorder = subject.signal.flatMap(strategy) { .just($0) }.record(in: subscription)
            onThreads(2) { thread in
                for number in 0..<200 {
                    if thread == 0 { subject.send(number) } else { subscription.pause().dispose() }
                }
            }
            #expect(recorder.values == Array(0..<200))
        }
    }
}
