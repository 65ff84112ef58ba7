// SPDX-License-Identifier: MIT
// supervisor PROGRAM [ARGUMENT]...: restarts a program when it exits, and sends it SIGTERM before exiting itself.
import Glibc
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main  // Or LibuvLoop.main, from SchedulerLibuv.

/// Prints an error and exits. The exit code is 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    report(message)
    exit(code)
}

func report(_ message: String) {
    let line = "supervisor: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let program = arguments.first, program.first != "-"
else { quit("usage: supervisor PROGRAM [ARGUMENT]...", code: 64) }
let running = Property<ChildProcess?>(nil)

/// One run of the program. The signal sends a value after ten seconds, and fails when the program exits.
let life = Signal<ChildProcess, SocketError>(trying: { () throws(SocketError) in
    try ChildProcess(program, Array(arguments.dropFirst()), loop: loop)
})
.flatMap { child in
    report("\(program) is process \(child.identifier)")
    running.value = child
    let exit = child.exit.flatMap { status in
        Signal<Void, SocketError>.fail(SocketError(.noSuchProcess, "\(program) \(status)"))
    }
    return Signal<Void, SocketError>.merge(exit, .timer(after: .seconds(10), on: loop))
}
.handleEvents(onTermination: { end in if case .failed(let error) = end { report("\(error)") } })

// The value resets the delay and the count, so the supervisor gives up after six early exits in a row.
let lives = life.retry(upTo: 5, backoff: Backoff(first: .milliseconds(100)), on: loop).subscribe(
    onValue: { _ in },
    onTermination: { _ in quit("giving up on \(program)") }
)
loop.processSignals(.terminate, .interrupt).take(1).subscribe(
    onValue: { _ in
        lives.dispose()
        guard let child = running.value else { return loop.stop() }
        try? child.send(.terminate)  // It fails if the program has already exited.
        loop.schedule(after: .seconds(10)) { try? child.send(.kill) }
        child.exit.subscribe(onValue: { _ in }, onTermination: { _ in loop.stop() })
    },
    onTermination: { end in if case .failed(let error) = end { quit("\(error)") } }
)
do { try loop.run() } catch { quit("\(error)") }
