// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// Rows C9 to C15 of the table.
extension CommandContract {
    @Test("C9: concurrent executions leave the command enabled up to its limit")
    func c9ConcurrentExecutionsLeaveItEnabled() {
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

    @Test("C10: releasing a command completes its signals")
    func c10LettingGoCompletesItsSignals() {
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
            signal?.subscribe(onValue: { _ in }, onTermination: { _ in hasEnded.value = true })
            return hasEnded
        }
        command = nil
        #expect(ends.map(\.value) == Array(repeating: true, count: 8))
        #expect(executing?.signal.log().events == [.value(true), .ended(.completed)])
        // Running executions continue.
        work[0].send(7)
        work[0].complete()
        #expect(result?.events == [.value(7), .ended(.completed)])
        #expect(executing?.value == false)
        withExtendedLifetime(condition) {}
    }

    @Test("C10: the end of a command cancels its executions or lets them finish")
    func c10AnEndSaysWhatHappensToTheWork() {
        let command = work.command(.queue(limit: 2))
        let results = [1, 2].map { command.execute($0).log() }
        let (states, rejections) = (command.isExecuting.signal.log(), command.rejections.log())
        command.end(.cancel)
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

    /// With separate steps for the check and the start, several of the eight threads would start an execution.
    @Test("C11: of several threads only one is admitted")
    func c11TwoThreadsAreNotBothLetIn() throws {
        for _ in 0..<Platform.rounds(200) {
            let work = ManualWork()
            let command = work.command()
            let (ready, rejected) = (Latch(8), Box(0))
            let threads = (0..<8).map { number in
                TestThread {
                    ready.arrive()
                    try ready.wait("the others")
                    command.execute(number).subscribe(onValue: { _ in }, onTermination: { _ in rejected.increment() })
                }
            }
            for thread in threads { try thread.join() }
            #expect(work.inputs.count == 1)
            #expect(rejected.value == 7)
            work[0].complete()
            #expect(!command.isExecuting.value)
        }
    }

    @Test("C13: apply is cold, and is admitted or rejected when it starts")
    func c13ApplyIsColdAndLetInWhenItStarts() {
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

    @Test("C13: a state enables the command and is passed to the work")
    func c13AStateEnablesItAndIsWhatTheWorkGets() {
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

    @Test("C14: the command's target does not keep the command alive")
    func c14InputsAreATargetThatDoesNotKeepTheCommand() {
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

    @Test("C14: a command is enabled from the start")
    func c14ItIsEnabledFromTheStart() {
        let command = work.command(enabledIf: .never)
        #expect(command.isEnabled.value)
        command.execute(1)
        #expect(work.inputs == [1])
    }

    @Test("C15: a rejection fails the result and is sent by rejections, but not by errors")
    func c15ARejectionIsReturnedAndToldButNoError() {
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
