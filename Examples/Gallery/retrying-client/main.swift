// SPDX-License-Identifier: MIT
// retrying-client HOST PORT [LINE]: sends LINE, prints the server's lines, and reconnects when the connection ends.
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
    let line = "retrying-client: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard 2...3 ~= arguments.count, let port = UInt16(arguments[1]), port > 0
else { quit("usage: retrying-client HOST PORT [LINE], with a port from 1 to 65535", code: 64) }
let host = arguments[0]
let greeting = arguments.count == 3 ? Bytes("\(arguments[2])\n") : Bytes()

/// The lines of one connection. The signal fails when the server ends the stream, so that the client reconnects.
let session = Connection.connect(toHost: host, port: Int(port), loop: loop)
    .flatMap { connection in
        connection.setTimeouts(ConnectionTimeouts(idle: .seconds(300)))
        connection.send(greeting)
        return connection.received.framed(by: .newline, limit: 65536)
    }
    .concat(.fail(SocketError(.closed, "\(host):\(port) has ended the stream")))
    .handleEvents(onTermination: { end in if case .failed(let error) = end { report("\(error)") } })

// Each line resets the delay and the count, so the client gives up only after ten retries without a line.
let backoff = Backoff(first: .milliseconds(100), maximum: .seconds(10))
let subscription = session.retry(upTo: 10, backoff: backoff, on: loop).subscribe(
    onValue: { line in
        print(String(line))
        fflush(nil)
    },
    onTermination: { _ in quit("giving up after 10 retries") }
)
loop.processSignals(.terminate, .interrupt).take(1).subscribe(
    onValue: { _ in
        subscription.dispose()
        loop.stop()
    },
    onTermination: { end in if case .failed(let error) = end { quit("\(error)") } }
)
do { try loop.run() } catch { quit("\(error)") }
