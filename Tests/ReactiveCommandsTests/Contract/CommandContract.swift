import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import Testing

/// What `RACCommand`, ReactiveSwift's `Action` and `RxAction` promise, by the rows of Docs/Seeds.md.
@Suite struct CommandContract {
    private let work = ManualWork()

    @Test func c1TheLatestConditionRulesAndIsSampledWhenMade() {
        let always = work.command()
        #expect(always.isEnabled.value)
        let condition = Property(false)
        let command = work.command(enabledIf: condition.signal)
        let states = command.isEnabled.signal.log()
        #expect(!command.isEnabled.value)
        condition.value = true
        #expect(command.isEnabled.value)
        condition.value = false
        #expect(states.values == [false, true, false])
        // Before its first value, and after its end, it changes nothing.
        let subject = Subject<Bool, Never>()
        let silent = work.command(enabledIf: subject.signal)
        #expect(silent.isEnabled.value)
        subject.send(false)
        subject.complete()
        #expect(!silent.isEnabled.value)
        #expect(silent.execute(1).log().events == [.ended(.failed(.rejected(.disabled)))])
    }

    @Test func c2WhatIsNotEnabledIsNotExecuted() {
        let condition = Property(false)
        let command = work.command(enabledIf: condition.signal)
        let (errors, rejections) = (command.errors.log(), command.rejections.log())
        #expect(command.execute(1).log().events == [.ended(.failed(.rejected(.disabled)))])
        #expect(work.inputs.isEmpty)
        #expect(errors.events.isEmpty)
        #expect(rejections.values == [.disabled])
        condition.value = true
        command.execute(2)
        #expect(work.inputs == [2])
    }

    @Test func c3StatesChangeBeforeTheWorkBeginsAndAfterItHasEnded() {
        let log = Recorder<String>()
        let subject = Subject<Int, TestError>()
        let command = Command<Int, Int, TestError> { input in
            log.append("work \(input)")
            return subject.signal
        }
        command.isExecuting.signal.subscribe { log.append("executing \($0)") }
        command.isEnabled.signal.subscribe { log.append("enabled \($0)") }
        command.executions.subscribe { execution in
            log.append("execution")
            execution.subscribe(onValue: { log.append("its \($0)") }, onTermination: { _ in log.append("its end") })
        }
        command.events.subscribe { event in
            if case .value(let value) = event { log.append("event \(value)") } else { log.append("event end") }
        }
        let result = command.execute(1)
        result.subscribe(onValue: { log.append("value \($0)") }, onTermination: { _ in log.append("end") })
        subject.send(5)
        subject.complete()
        #expect(
            log.values == [
                "executing false", "enabled true", "executing true", "enabled false", "execution", "work 1", "value 5",
                "its 5", "event 5", "its end", "event end", "executing false", "enabled true", "end",
            ]
        )
        // Late subscribers get it too, as far as it is kept.
        #expect(result.log().events == [.value(5), .ended(.completed)])
    }

    @Test func c3TheReplayIsBounded() {
        let command = work.command()
        let result = command.execute(1, replaying: 2)
        let early = result.log()
        for value in 1...5 { work[0].send(value) }
        let late = result.log()
        work[0].complete()
        #expect(early.values == [1, 2, 3, 4, 5])
        #expect(late.events == [.value(4), .value(5), .ended(.completed)])
        #expect(command.execute(2, replaying: 0).log().events == [])
    }

    @Test func c4ExecutionsBegunAfterSubscribingAsSignalsThatDoNotFail() {
        let command = work.command(.concurrent())
        command.execute(1)
        let count = Box(0)
        command.executions.subscribe { _ in count.increment() }
        let all = command.executions.flatten().log()
        let latest = command.executions.flatten(.latest).log()
        command.execute(2)
        command.execute(3)
        #expect(count.value == 2)
        work[0].send(10)
        work[1].send(20)
        work[2].send(30)
        work[1].send(21)
        work[1].fail(.broken)
        work[2].send(31)
        #expect(all.values == [20, 30, 21, 31])
        #expect(latest.values == [30, 31])
        command.end()
        #expect(all.end == nil)
        work[2].complete()
        withExtendedLifetime(command) {}
    }

    @Test func c5ErrorsAreValuesAlsoOfExecutionsInFlight() {
        let command = work.command(.concurrent())
        command.execute(1)
        let past = command.execute(2)
        work[1].fail(.other)
        let errors = command.errors.log()
        work[0].fail(.broken)
        #expect(errors.events == [.value(.broken)])
        #expect(past.log().events == [.ended(.failed(.failed(.other)))])
    }

    @Test func c6ExecutingTellsThePresentStateAtOnceAndEachChange() {
        let command = work.command(.concurrent())
        let states = command.isExecuting.signal.log()
        #expect(states.values == [false])
        command.execute(1)
        command.execute(2)
        let late = command.isExecuting.signal.log()
        #expect(late.values == [true])
        work[0].complete()
        #expect(command.isExecuting.value)
        work[1].fail(.broken)
        #expect(!command.isExecuting.value)
        #expect(states.values == [false, true, false])
        #expect(late.values == [true, false])
    }

    @Test func c7EnabledTellsTheFirstValueHereAndTheRestWhereTheCommandDelivers() {
        let queue = ManualScheduler()
        let command = work.command(delivery: .on(queue))
        command.execute(1)
        let states = command.isEnabled.signal.log()
        #expect(states.values == [false])
        work[0].complete()
        #expect(states.values == [false])
        #expect(command.isEnabled.value)
        queue.run()
        #expect(states.values == [false, true])
        // No turn more than needed: what happens there is told there at once.
        queue.execute {
            command.execute(2)
            #expect(states.values == [false, true, false])
        }
        queue.run()
        #expect(states.values == [false, true, false])
    }

    @Test func c7WithATurnBetweenWhereThatIsAskedFor() {
        let queue = ManualScheduler()
        let command = work.command(delivery: .onNextTurn(of: queue))
        let states = command.isEnabled.signal.log()
        queue.run()
        queue.execute { command.execute(1) }
        queue.runOne()
        #expect(work.inputs == [1])
        #expect(states.values == [true])
        queue.runOne()
        #expect(states.values == [true, false])
    }

    @Test func c8TheStateThatDecidesIsReadNotHeardOf() {
        let queue = ManualScheduler()
        let condition = Property(true)
        let command = work.command(enabledIf: condition.signal, delivery: .on(queue))
        let states = command.isEnabled.signal.log()
        queue.run()
        condition.value = false
        #expect(!command.isEnabled.value)
        #expect(states.values == [true])
        command.execute(1)
        #expect(work.inputs.isEmpty)
    }

    @Test func c9ConcurrentExecutionsLeaveItEnabled() {
        let command = work.command(.concurrent(limit: 2))
        let states = command.isEnabled.signal.log()
        command.execute(1)
        #expect(states.values == [true])
        command.execute(2)
        #expect(states.values == [true, false])
        #expect(command.execute(3).log().events == [.ended(.failed(.rejected(.busy)))])
        work[0].complete()
        command.execute(4)
        #expect(states.values == [true, false, true, false])
        #expect(work.inputs == [1, 2, 4])
    }

    @Test func c10LettingGoCompletesItsSignals() {
        let condition = Subject<Bool, Never>()
        var command: Command<Int, Int, TestError>? = work.command(enabledIf: condition.signal)
        let result = command?.execute(1).log()
        let executing = command?.isExecuting
        let ends = [
            command?.isExecuting.signal.map { _ in () }, command?.isEnabled.signal.map { _ in () },
            command?.executions.map { _ in () }, command?.values.map { _ in () }, command?.errors.map { _ in () },
            command?.completions, command?.rejections.map { _ in () }, command?.events.map { _ in () },
        ].map { signal in
            let hasEnded = Box(false)
            signal?.subscribe(onTermination: { _ in hasEnded.value = true })
            return hasEnded
        }
        command = nil
        #expect(ends.map(\.value) == Array(repeating: true, count: 8))
        #expect(executing?.signal.log().events == [.value(true), .ended(.completed)])
        // What is under way goes on.
        work[0].send(7)
        work[0].complete()
        #expect(result?.events == [.value(7), .ended(.completed)])
        #expect(executing?.value == false)
        withExtendedLifetime(condition) {}
    }

    @Test func c10AnEndSaysWhatHappensToTheWork() {
        let command = work.command(.queue(limit: 2))
        let results = [1, 2].map { command.execute($0).log() }
        let (states, rejections) = (command.isExecuting.signal.log(), command.rejections.log())
        command.end(.cancels)
        command.end()
        #expect(work.disposed == [1])
        #expect(results[0].events == [.ended(.failed(.cancelled))])
        #expect(results[1].events == [.ended(.failed(.rejected(.ended)))])
        #expect(states.events == [.value(true), .value(false), .ended(.completed)])
        #expect(rejections.events == [.value(.ended), .ended(.completed)])
        #expect(!command.isEnabled.value)
        #expect(command.execute(3).log().events == [.ended(.failed(.rejected(.ended)))])
        #expect(command.values.log().events == [.ended(.completed)])
    }

    /// With a check and an act after it, several of the eight would be let in.
    @Test func c11TwoThreadsAreNotBothLetIn() throws {
        for _ in 0..<scaled(200) {
            let work = ManualWork()
            let command = work.command()
            let (ready, rejected) = (Latch(8), Box(0))
            let threads = (0..<8).map { number in
                TestThread {
                    ready.arrive()
                    try ready.wait("the others")
                    command.execute(number).subscribe(onTermination: { _ in rejected.increment() })
                }
            }
            for thread in threads { try thread.join() }
            #expect(work.inputs.count == 1)
            #expect(rejected.value == 7)
            work[0].complete()
            #expect(!command.isExecuting.value)
        }
    }

    @Test func c13ApplyIsColdAndLetInWhenItStarts() {
        let command = work.command()
        let first = command.apply(1)
        #expect(work.inputs.isEmpty)
        let log = first.log()
        #expect(work.inputs == [1])
        #expect(first.log().events == [.ended(.failed(.rejected(.busy)))])
        work[0].send(3)
        work[0].fail(.broken)
        #expect(log.events == [.value(3), .ended(.failed(.failed(.broken)))])
        _ = first.log()
        #expect(work.inputs == [1, 1])
    }

    @Test func c13AStateEnablesItAndIsWhatTheWorkGets() {
        let state = Property(1)
        let command = Command<Int, Int, TestError>(state: state.readOnly, enabledIf: { $0 > 0 }) { state, input in
            .just(state * 100 + input)
        }
        #expect(command.execute(5).log().values == [105])
        state.value = 0
        #expect(!command.isEnabled.value)
        #expect(command.execute(5).log().events == [.ended(.failed(.rejected(.disabled)))])
        state.value = 2
        #expect(command.execute(5).log().values == [205])
        let optional = Property<Int?>(nil)
        let unwrapping = Command<Int, Int, TestError>(unwrapping: optional.readOnly) { .just($0 + $1) }
        #expect(!unwrapping.isEnabled.value)
        #expect(unwrapping.execute(5).log().events == [.ended(.failed(.rejected(.disabled)))])
        optional.value = 30
        #expect(unwrapping.isEnabled.value)
        #expect(unwrapping.execute(5).log().values == [35])
    }

    @Test func c14InputsAreATargetThatDoesNotKeepTheCommand() {
        let inputs = Subject<Int, Never>()
        weak var weakly: Command<Int, Int, TestError>?
        do {
            let command = work.command(.concurrent())
            weakly = command
            let values = command.values.log()
            inputs.signal.bind(to: command.target)
            inputs.send(1)
            work[0].send(11)
            #expect(values.values == [11])
        }
        #expect(weakly == nil)
        inputs.send(2)
        #expect(work.inputs == [1])
    }

    @Test func c14ItIsEnabledFromTheStart() {
        let command = work.command(enabledIf: .never)
        #expect(command.isEnabled.value)
        command.execute(1)
        #expect(work.inputs == [1])
    }

    @Test func c15ARejectionIsReturnedAndToldButNoError() {
        let command = work.command(.queue(limit: 1))
        let (errors, events, rejections) = (command.errors.log(), command.events.log(), command.rejections.log())
        command.execute(1)
        command.execute(2)
        #expect(command.execute(3).log().events == [.ended(.failed(.rejected(.full)))])
        #expect(rejections.values == [.full])
        #expect(errors.events.isEmpty)
        #expect(events.events.isEmpty)
    }
}
