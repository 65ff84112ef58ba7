// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// Commands derived from other commands.
@Suite struct DerivedTests {
    private let work = ManualWork()

    @Test("A contramapped command shares the state of the original with another input")
    func contramapIsTheSameCommandWithAnotherInput() {
        let command = work.command()
        let named = command.contramap { (text: String) in text.count }
        let values = command.values.log()
        named.execute("four")
        #expect(work.inputs == [4])
        #expect(command.isExecuting.value)
        #expect(command.execute(1).log().events == [.ended(.failed(.rejected(.busy)))])
        work[0].send(8)
        #expect(values.values == [8])
        let function = Command<Int, Int, TestError>(trying: { $0 + 1 }).contramap { (text: String) in text.count }
        #expect(function.execute("abc").log().events == [.value(4), .ended(.completed)])
        let state = Property(10)
        let stateful = Command<Int, Int, TestError>(state: state.readOnly) { .just($0 + $1) }
            .contramap { (text: String) in text.count }
        #expect(stateful.execute("abc").log().values == [13])
    }

    @Test("A command ends with its last contramapped copy")
    func theLastOfTheSameCommandEndsIt() {
        var command: Command<Int, Int, TestError>? = work.command()
        var named = command?.contramap { (text: String) in text.count }
        let values = command?.values.log()
        command = nil
        #expect(values?.end == nil)
        named?.execute("a")
        work[0].send(1)
        named = nil
        #expect(values?.events == [.value(1), .ended(.completed)])
    }

    @Test("all(of:) executes all commands together")
    func allAreExecutedTogether() {
        let works = [ManualWork(), ManualWork(), ManualWork()]
        let commands = works.map { $0.command() }
        let all = Command.all(of: commands)
        let (values, errors) = (all.values.log(), all.errors.log())
        let enabled = all.isEnabled.signal.log()
        #expect(enabled.values == [true])
        all.execute(7)
        #expect(works.map(\.inputs) == [[7], [7], [7]])
        #expect(all.isExecuting.value)
        #expect(!all.isEnabled.value)
        for (index, work) in works.enumerated() {
            work[0].send(index)
            work[0].complete()
        }
        #expect(values.values == [[0, 1, 2]])
        #expect(errors.events.isEmpty)
        #expect(!all.isExecuting.value)
        #expect(all.isEnabled.value)
        commands[1].execute(1)
        #expect(!all.isEnabled.value)
        #expect(all.execute(8).log().events == [.ended(.failed(.rejected(.disabled)))])
    }

    @Test("In all(of:), one failure cancels the other executions")
    func oneThatFailsCancelsTheOthers() {
        let works = [ManualWork(), ManualWork()]
        let all = Command.all(of: works.map { $0.command() })
        let log = all.execute(1).log()
        works[1][0].fail(.broken)
        #expect(log.events == [.ended(.failed(.failed(.failed(.broken))))])
        #expect(works[0].disposed == [1])
        #expect(Command<Int, Int, TestError>.all(of: []).execute(1).log().values == [[]])
    }
}
