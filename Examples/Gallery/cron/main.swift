// SPDX-License-Identifier: MIT
// cron SECONDS PROGRAM [ARGUMENT]...: runs a program every SECONDS, one run at a time, each for at most an hour.
import Glibc
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main  // Or LibuvLoop.main, from SchedulerLibuv.

/// Prints an error and exits. The exit code is 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    let line = "cron: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(code)
}

func report(_ line: String) {
    print(line)
    fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2, let seconds = Double(arguments[0]), 0 < seconds, seconds <= 86400, arguments[1].first != "-"
else { quit("usage: cron SECONDS PROGRAM [ARGUMENT]..., with above 0 and at most 86400 seconds", code: 64) }
let program = arguments[1]

/// The first SIGTERM or SIGINT. A second one terminates the process.
let stopping: Signal<ProcessSignal, Never> = loop.processSignals(.terminate, .interrupt).take(1)
    .flatMapError { error in quit("\(error)") }

/// One run of the program. It sends the exit status, or the reason why there is none.
let run = Signal<ChildProcess, SocketError>(trying: { () throws(SocketError) in
    try ChildProcess(program, Array(arguments.dropFirst(2)), loop: loop)
})
.flatMap { child in
    child.exit.timeout(after: .seconds(3600), raising: SocketError(.timedOut, "killed after an hour"), on: loop)
        .handleEvents(onTermination: { end in if case .failed = end { try? child.send(.kill) } })
}
.map { status in "\(program) \(status)" }
.flatMapError { error in Signal<String, Never>.just("\(error)") }

// During a run, no other run starts. The first signal lets the current run finish.
Signal.interval(.seconds(seconds), on: loop)
    .take(until: stopping)
    .flatMap(.first) { _ in run }
    .subscribe(onValue: { result in report(result) }, onTermination: { _ in loop.stop() })

do { try loop.run() } catch { quit("\(error)") }
