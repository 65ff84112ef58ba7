// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// Commands that drain and stop the server. Callers can execute them, and observe when they run and complete.
struct ServerLife {
    /// Stops accepting. After the input duration, resets the connections that have not finished.
    let drain: Command<Duration, Never, Never>
    /// Stops the main loop, and so ends the program. It is executed when the drain completes.
    let stop: Command<Void, Void, Never>

    init(_ server: Server, on main: any LoopScheduler) {
        drain = Command { grace in server.drain(within: grace) }
        stop = Command(trying: { main.stop() })
        drain.completions.bind(to: stop.target)
    }

    /// Drains on the first SIGINT or SIGTERM. Then disposes the handlers, so a second signal has its default effect.
    ///
    /// - Parameter begin: Called before the drain.
    func drainOnSignal(
        within grace: Duration,
        on main: any LoopScheduler,
        begin: @escaping @Sendable () -> Void
    ) throws {
        let handlers = CompositeDisposable()
        for signal in [ProcessSignal.interrupt, .terminate] {
            let handler = try main.onSignal(signal) { [drain] in
                handlers.dispose()
                begin()
                drain.execute(grace)
            }
            handlers.add(handler)
        }
    }
}
