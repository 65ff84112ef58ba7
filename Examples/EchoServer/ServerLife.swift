import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// The end of the server's life, as commands: who has one can execute it, see that it is under way, hear that it is done.
struct ServerLife {
    /// Lets the connections that there are finish within the time.
    let drain: Command<Duration, Never, Never>
    /// Ends the program; executed when the server has been drained.
    let stop: Command<Void, Void, Never>

    init(_ server: Server, on main: any LoopScheduler) {
        drain = Command { grace in server.drain(within: grace) }
        stop = Command(trying: { main.stop() })
        drain.completions.bind(to: stop.target)
    }

    /// The first signal drains; the handlers go with it, so that a second signal does what it does to any program.
    func drainOnSignal(within grace: Duration, on main: any LoopScheduler) throws {
        let handlers = CompositeDisposable()
        for signal in [ProcessSignal.interrupt, .terminate] {
            let handler = try main.onSignal(signal) { [drain] in
                handlers.dispose()
                drain.execute(grace)
            }
            handlers.add(handler)
        }
    }
}
