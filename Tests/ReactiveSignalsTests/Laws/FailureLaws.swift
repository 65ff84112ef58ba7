import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import Testing

/// Law 9: what a failure overtakes, and what it does not.
@Suite struct FailureLaws {
    private static let seeds: Range<UInt64> = 0..<40

    @Test(arguments: FailureCase.delaying, FailureRoute.all)
    func randomProgramsDoWhatTheModelDoes(_ operation: FailureCase, _ route: FailureRoute) {
        for seed in FailureLaws.seeds {
            FailureProgram(seed: seed, inputs: operation.model().inputs).compare(operation, route)
        }
    }

    @Test(arguments: FailureCase.racing)
    func randomProgramsWithSignalsInsideDoWhatTheModelDoes(_ operation: FailureCase) {
        for seed in 0..<300 as Range<UInt64> { FailureProgram(seed: seed, inputs: 1).compare(operation, .direct) }
    }

    @Test(arguments: FailureCase.passing)
    func operatorsThatDelayNothingKeepTheOrder(_ operation: FailureCase) {
        for route in FailureRoute.all {
            for seed in 0..<10 as Range<UInt64> { FailureProgram(seed: seed, inputs: 1).compare(operation, route) }
        }
    }

    @Test func concatOfNeverFails() {
        let subject = Subject<Int, TestError>()
        let recorder = subject.signal.flatMap(.concat) { _ in Signal<Int, TestError>.never }.record()
        subject.send(1)
        subject.send(2)
        subject.fail(.broken)
        #expect(recorder.events == [.ended(.failed(.broken))])
    }

    /// A failure that waited for the subscriber passes when the operator alone goes on pausing.
    @Test func aFailureWaitsForTheSubscriberAlone() {
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

    /// The first source makes the operator pause again before the second one is notified of the resume.
    @Test func aFailurePassesWhereAnotherSourceGoesOnFirst() {
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

    /// Of two operators each is the other's source or subscriber.
    @Test func aFailureOvertakesWhatTwoOperatorsDelay() {
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

    /// A hop keeps the order where it is the one that is slow, and lets a failure pass where an operator behind it is.
    @Test func aHopKeepsTheOrderOfWhatItDelays() {
        let (loop, subject) = (ManualScheduler(), Subject<Int, TestError>())
        let recorder = subject.signal.observe(on: loop, limit: 2).record()
        for value in 1...5 { subject.send(value) }
        subject.fail(.broken)
        loop.run()
        #expect(recorder.events == (1...5).map { .value($0) } + [.ended(.failed(.broken))])
    }

    @Test(arguments: [OverflowPolicy.pauseSource, .dropOldest])
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

    @Test func whatMakesSomethingElseOfAFailureLosesNoValue() {
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

    /// The requests' failure ends it at once; a failure of the work is a reply, which overtakes none.
    @Test func requestsFailAtOnceAndWorkInItsPlace() {
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

    /// Pauses from other threads lose no failure.
    @Test(arguments: [FlattenStrategy.concat, .concurrent(limit: 2)])
    func aFailureArrivesWhateverPauses(_ strategy: FlattenStrategy) {
        for _ in 0..<200 {
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

    /// Values of one sender keep their order while other threads pause and resume.
    @Test(arguments: [FlattenStrategy.merge, .concurrent(limit: 2), .concat])
    func valuesOfOneSenderKeepTheirOrder(_ strategy: FlattenStrategy) {
        for _ in 0..<200 {
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
