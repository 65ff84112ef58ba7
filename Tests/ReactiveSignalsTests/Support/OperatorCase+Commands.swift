// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals

/// The operators of ReactiveCommands, which obey the same laws.
extension OperatorCase {
    static let commands = [
        OperatorCase("execute(_:order:limit:whenFull:whenDisposed:onError:)") { signal, _ in
            signal.execute(Command<Int, Int, Never>(trying: { $0 })) { _, _ in -1 }
        },
        OperatorCase("execute(_:order:limit:whenFull:whenDisposed:onError:) with signals") { signal, _ in
            signal.execute(Command<Int, Int, Never> { .just($0) }) { _, _ in -1 }
        },
        OperatorCase("execute(_:order:limit:whenFull:whenDisposed:onError:) as they finish", [.reorders]) { signal, _ in
            signal.execute(Command<Int, Int, Never>(.concurrent()) { .just($0) }, order: .asFinished) { _, _ in -1 }
        },
        OperatorCase("execute(order:limit:whenFull:whenDisposed:choosing:onError:)") { signal, _ in
            let commands = [
                Command<Int, Int, Never>(trying: { $0 }),
                Command<Int, Int, Never>(.queue(limit: 1)) { .just($0) },
            ]
            return signal.execute(choosing: { $0 % 2 == 0 ? commands[0] : commands[1] }, onError: { _, _ in -1 })
        },
        // The signal is the work of a command, and its events come out unchanged.
        OperatorCase("apply", [.keepsSource]) { signal, _ in
            Command<Int, Int, TestError>(.concurrent()) { _ in signal }.apply(0).mapError {
                // No other failure occurs here.
                if case .failed(let failure) = $0 { failure } else { .other }
            }
        },
    ]
}
