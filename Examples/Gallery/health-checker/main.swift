// SPDX-License-Identifier: MIT
// health-checker SECONDS HOST:PORT...: connects to each service every SECONDS, and reports when it fails or recovers.
import Glibc
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main  // Or LibuvLoop.main, from SchedulerLibuv.

/// Prints an error and exits. The exit code is 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    let line = "health-checker: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(code)
}

struct Target {
    let host: String
    let port: UInt16

    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        host = String(text[..<colon])
        self.port = port
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let targets = arguments.dropFirst().compactMap { Target($0) }
guard let seconds = arguments.first.flatMap({ Double($0) }), seconds > 0, seconds <= 86400,
    !targets.isEmpty, targets.count == arguments.count - 1
else { quit("usage: health-checker SECONDS HOST:PORT..., with above 0 and at most 86400 seconds", code: 64) }

/// The health of one service, and each change. During a check, no other check starts.
func health(of target: Target) -> Signal<String, Never> {
    let settings = ConnectSettings(timeout: .seconds(2))
    let check = Connection.connect(toHost: target.host, port: Int(target.port), loop: loop, settings: settings)
        .map { _ in "up" }
        .flatMapError { error in Signal<String, Never>.just("down: \(error)") }
    return Signal<Int, Never>.interval(.seconds(seconds), on: loop)
        .prefix(value: 0)
        .flatMap(.first) { _ in check }
        .skipRepeats()
}

for target in targets {
    health(of: target).subscribe(onValue: { change in
        print("\(target.host):\(target.port) is \(change)")
        fflush(nil)
    })
}
loop.processSignals(.terminate, .interrupt).take(1).subscribe(
    onValue: { _ in loop.stop() },
    onTermination: { end in if case .failed(let error) = end { quit("\(error)") } }
)
do { try loop.run() } catch { quit("\(error)") }
