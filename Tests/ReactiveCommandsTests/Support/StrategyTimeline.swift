// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// A command whose inputs arrive in virtual time, with all its events as marble lines.
///
/// The work of an input sends the input in its first frame and again two frames later, and completes with it. The
/// work of an uppercase input fails then. Rejections are `d` disabled, `b` busy, `f` full, `o` dropped (the oldest),
/// `e` ended. `isExecuting` is `1` and `0`.
struct StrategyTimeline {
    let time = TestScheduler()
    private let command: Command<Character, Character, TestError>
    private let condition = Property(true)

    init(_ strategy: CommandStrategy) {
        let time = time
        command = Command(strategy, enabledIf: condition.signal) { input in
            let end: Signal<Character, TestError> = input.isUppercase ? .fail(.broken) : .just(input)
            return .just(input).concat(Signal.timer(after: .seconds(2), on: time).flatMap { _ in end })
        }
    }

    /// Executes the letters of `inputs`, and compares the reported events.
    ///
    /// In one frame an input precedes a termination.
    func expect(
        _ inputs: Marbles,
        values: Marbles,
        executing: Marbles,
        enabled: Marbles,
        errors: Marbles = "",
        completions: Marbles,
        rejections: Marbles = "",
        disabledFrom: Int? = nil,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let told = (
            time.record(command.values), time.record(command.isExecuting.signal), time.record(command.isEnabled.signal),
            time.record(command.errors), time.record(command.completions), time.record(command.rejections)
        )
        let source = time.hot(inputs)
        let subscription = SignalSubscription()
        source.signal.bind(to: command.target)
        if let disabledFrom {
            time.schedule(after: .seconds(disabledFrom)) { [condition] in condition.value = false }
        }
        try time.advance(by: .seconds(30))
        subscription.dispose()
        func check(_ what: String, _ real: Marbles, _ line: Marbles) {
            if let text = real.difference(from: line) {
                Issue.record(Comment(rawValue: "\(what)\n\(text)"), sourceLocation: location)
            }
        }
        check("values", told.0.marbles, values)
        check("executing", told.1.marbles { $0 ? "1" : "0" }, executing)
        check("enabled", told.2.marbles { $0 ? "1" : "0" }, enabled)
        check("errors", told.3.marbles { _ in "x" }, errors)
        check("completions", told.4.marbles { _ in "c" }, completions)
        check("rejections", told.5.marbles { $0 == .dropped ? "o" : $0.description.first ?? "?" }, rejections)
    }
}
