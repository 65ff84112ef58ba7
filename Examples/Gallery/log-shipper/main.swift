// SPDX-License-Identifier: MIT
// PROGRAM | log-shipper HOST PORT: sends each line of a pipe to a collector, and reconnects after a failure.
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
    let line = "log-shipper: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2, let port = UInt16(arguments[1]), port > 0
else { quit("usage: PROGRAM | log-shipper HOST PORT, with a port from 1 to 65535", code: 64) }

/// The first SIGTERM or SIGINT. Lines that have been read are still sent. A second one terminates the process.
let stopping: Signal<ProcessSignal, Never> = loop.processSignals(.terminate, .interrupt).take(1)
    .flatMapError { error in quit("\(error)") }
    .handleEvents(onValue: { _ in loop.schedule(after: .seconds(10)) { quit("no collector accepts the rest") } })

/// The chunks of the pipe. Reading blocks a separate thread. When eight chunks wait, PROGRAM blocks too.
let chunks = Signal<Bytes, SocketError>.perform(on: WorkerPool(name: "reader", maximumThreads: 1)) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    return Bytes(buffer.prefix(max(0, count)))
}
.repeat().take(until: stopping).take(while: { chunk in !chunk.isEmpty }).observe(on: loop, limit: 8)

let collector = Property<Connection?>(nil)
let connect = Connection.connect(toHost: arguments[0], port: Int(port), loop: loop)
    .handleEvents(onValue: { connection in
        collector.value = connection
        connection.received.subscribe(onValue: { _ in }, onTermination: { _ in collector.value = nil })
    })

/// Sends a line over the open connection or a new one, until the kernel has accepted it.
@Sendable func ship(_ line: Bytes) -> Signal<Never, SocketError> {
    Signal<Void, SocketError>.just(())
        .flatMap { _ in collector.value.map { Signal<Connection, SocketError>.just($0) } ?? connect }
        .flatMap { connection in connection.send(Bytes(joining: [line, "\n"])) }
        .handleEvents(onTermination: { end in if case .failed(let error) = end { report("\(error); retrying") } })
        .retry(backoff: Backoff(first: .milliseconds(100), maximum: .seconds(5)), on: loop)
}

chunks.framed(by: .newline, limit: 65536).flatMap(.concat) { line in ship(line) }.subscribe(onTermination: { end in
    if case .failed(let error) = end { quit("\(error)") }
    guard let connection = collector.value else { return loop.stop() }
    connection.close(within: .seconds(5))
    connection.ended.subscribe(onTermination: { _ in loop.stop() })
})
do { try loop.run() } catch { quit("\(error)") }
