// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import Synchronization

/// One operation, repeated many times.
enum Cost: String, CaseIterable {
    /// The loop alone, which calls the function directly.
    case nothing
    /// `execute(_:into:)`, serial.
    case into
    /// `execute(_:into:)`, with three executions at a time.
    case concurrent
    /// `execute(_:)`, whose result is released.
    case execute
    /// `apply(_:)`, with a subscriber.
    case apply
    /// Requests from a signal, answered in order.
    case requests
    /// Requests from a signal, with a command chosen for each.
    case choosing
    /// `execute(_:into:)` with a subscriber of `isExecuting`.
    case observed

    func run(_ count: Int) -> Int {
        let sum = Sum()
        let strategy = self == .concurrent ? CommandStrategy.concurrent(limit: 3) : .serial
        let command = Command<Int, Int, Never>(strategy, trying: { $0 &+ 1 })
        switch self {
        case .nothing:
            for number in 0..<count { sum.receive(number &+ 1) }
        case .into, .concurrent:
            for number in 0..<count { command.execute(number, into: sum) }
        case .execute:
            for number in 0..<count { command.execute(number) }
        case .apply:
            for number in 0..<count { command.apply(number).subscribe(sum) }
        case .requests:
            Signal<Int, Never>(values: 0..<count).execute(command) { _, _ in 0 }.subscribe(onValue: { sum.receive($0) })
        case .choosing:
            let commands = [command, Command<Int, Int, Never>(trying: { $0 &+ 2 })]
            Signal<Int, Never>(values: 0..<count)
                .execute(choosing: { commands[$0 & 1] }, onError: { _, _ in 0 })
                .subscribe(onValue: { sum.receive($0) })
        case .observed:
            command.isExecuting.signal.subscribe(onValue: { if $0 { sum.receive(1) } })
            for number in 0..<count { command.execute(number, into: sum) }
        }
        return sum.value
    }
}

final class Sum: Observer {
    private let total = Atomic<Int>(0)

    var value: Int { total.load(ordering: .relaxed) }

    func receive(_ value: Int) { total.store(total.load(ordering: .relaxed) &+ value, ordering: .relaxed) }

    func receive(termination: Termination<CommandError<Never>>) {}
}
