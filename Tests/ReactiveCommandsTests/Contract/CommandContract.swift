// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// The guarantees of `RACCommand`, ReactiveSwift's `Action` and `RxAction`, by the rows of Docs/Seeds.md.
@Suite struct CommandContract {
    let work = ManualWork()

    @Test("C1: the latest value of the condition decides, from the creation of the command")
    func c1TheLatestConditionRulesAndIsSampledWhenMade() {
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
        // Before its first value and after its termination, the condition changes nothing.
        let subject = Subject<Bool, Never>()
        let silent = work.command(enabledIf: subject.signal)
        #expect(silent.isEnabled.value)
        subject.send(false)
        subject.complete()
        #expect(!silent.isEnabled.value)
        #expect(silent.execute(1).log().events == [.ended(.failed(.rejected(.disabled)))])
    }

    @Test("C2: a disabled command rejects an execution")
    func c2WhatIsNotEnabledIsNotExecuted() {
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

    @Test("C3: states change before the work begins and after it has ended")
    func c3StatesChangeBeforeTheWorkBeginsAndAfterItHasEnded() {
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
        // Late subscribers receive the replayed events.
        #expect(result.log().events == [.value(5), .ended(.completed)])
    }

    @Test("C3: the replay of an execution is bounded")
    func c3TheReplayIsBounded() {
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

    @Test("C4: executions started after the subscription arrive as signals that do not fail")
    func c4ExecutionsBegunAfterSubscribingAsSignalsThatDoNotFail() {
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

    @Test("C5: errors are sent as values, including errors of executions that began earlier")
    func c5ErrorsAreValuesAlsoOfExecutionsInFlight() {
        let command = work.command(.concurrent())
        command.execute(1)
        let past = command.execute(2)
        work[1].fail(.other)
        let errors = command.errors.log()
        work[0].fail(.broken)
        #expect(errors.events == [.value(.broken)])
        #expect(past.log().events == [.ended(.failed(.failed(.other)))])
    }

    @Test("C6: isExecuting sends the current state immediately, and then each change")
    func c6ExecutingTellsThePresentStateAtOnceAndEachChange() {
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

    @Test("C7: isEnabled sends its first value immediately, and later ones on the delivery scheduler")
    func c7EnabledTellsTheFirstValueHereAndTheRestWhereTheCommandDelivers() {
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
        // An event on the scheduler is delivered at once, without an extra turn.
        queue.execute {
            command.execute(2)
            #expect(states.values == [false, true, false])
        }
        queue.run()
        #expect(states.values == [false, true, false])
    }

    @Test("C7: with onNextTurn, each change is delivered in a later turn")
    func c7WithATurnBetweenWhereThatIsAskedFor() {
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

    @Test("C8: admission reads the current state, not the last delivered one")
    func c8TheStateThatDecidesIsReadNotHeardOf() {
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
}
