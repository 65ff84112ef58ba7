// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance

/// The failures in these tests.
enum TestError: Error, Equatable {
    case broken
    case other
}

/// Records all events of one subscription.
final class EventLog<Value: Sendable & Equatable, Failure: Error & Equatable>: Observer {
    private let log = Recorder<Event<Value, Failure>>()

    var events: [Event<Value, Failure>] { log.values }
    var values: [Value] { events.compactMap { if case .value(let value) = $0 { value } else { nil } } }
    var end: Termination<Failure>? {
        if case .ended(let termination) = events.last { termination } else { nil }
    }

    func receive(_ value: Value) { log.append(.value(value)) }
    func receive(termination: Termination<Failure>) { log.append(.ended(termination)) }
}

extension Signal where Value: Equatable, Failure: Equatable {
    /// Subscribes a new log.
    func log(in subscription: SignalSubscription = SignalSubscription()) -> EventLog<Value, Failure> {
        let log = EventLog<Value, Failure>()
        subscribe(log, in: subscription)
        return log
    }
}

/// Work that the test completes: a subject for each execution, in the order in which they began.
final class ManualWork: Sendable {
    private let begun = Recorder<(input: Int, subject: Subject<Int, TestError>)>()
    private let disposals = Recorder<Int>()

    /// The inputs of the executions that have begun.
    var inputs: [Int] { begun.values.map(\.input) }
    /// The inputs of the executions that were released, after their termination or before it.
    var disposed: [Int] { disposals.values }

    subscript(_ index: Int) -> Subject<Int, TestError> { begun.values[index].subject }

    func signal(_ input: Int) -> Signal<Int, TestError> {
        Signal { [self] emitter, subscription in
            let subject = Subject<Int, TestError>()
            begun.append((input, subject))
            subscription.onDispose { [disposals] in disposals.append(input) }
            subject.subscribe(emitter, in: subscription)
        }
    }

    func command(
        _ strategy: CommandStrategy = .serial,
        enabledIf condition: Signal<Bool, Never>? = nil,
        delivery: CommandDelivery = .direct
    ) -> Command<Int, Int, TestError> {
        Command(strategy, enabledIf: condition, delivery: delivery) { [self] in signal($0) }
    }
}
