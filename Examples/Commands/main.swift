// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerDispatch

// The snippets of Docs/Commands.md. A server looks up a name for each line that it receives.
let loop = DispatchLoop.main

guard CommandLine.arguments.count == 1 else {
    print("usage: Commands, without arguments")
    exit(64)
}

struct Malformed: Error {}

// The work is a function, an async function or a signal.
let length = Command<Bytes, Int, Malformed>(trying: { line throws(Malformed) in
    guard line.allSatisfy({ $0 < 128 }) else { throw Malformed() }
    return line.count
})
let pause = Command<Duration, Void, CancellationError>(async: { time throws(CancellationError) in
    do { try await Task.sleep(for: time) } catch { throw CancellationError() }
})
let ticks = Command<Int, Int, Never>(.latest, delivery: .on(loop)) { count in
    Signal.interval(.seconds(1), on: loop).take(count)
}

// Observing: states, executions and errors.
ticks.isExecuting.signal.subscribe { print($0 ? "ticking" : "silent") }
ticks.executions.flatten(.latest).subscribe { print("tick \($0)") }
length.errors.subscribe { _ in print("that was not ASCII") }

// Executing: `execute` starts immediately, `apply` starts at each subscription.
ticks.execute(3)
ticks.apply(2).subscribe(onValue: { _ in }, onTermination: { print("two ticks: \($0)") })
ticks.execute(1, whenDisposed: .cancel).subscribe(onValue: { _ in }, onTermination: { print("one tick: \($0)") })

// Enabled while the property has a value. The work receives that value.
let upstream = Property<Connection?>(nil)
let send = Command<Bytes, Never, SocketError>(.queue(limit: 100), unwrapping: upstream.readOnly) { connection, bytes in
    connection.send(bytes)
}
send.rejections.subscribe { print("not sent: \($0)") }
send.execute("no upstream yet")

// Deriving: the same command with another input type, and several commands as one.
let measure = length.contramap { (text: String) in Bytes(text) }
let measureBoth = Command.all(of: [measure, measure])
measureBoth.execute("abc").subscribe(onValue: { print($0) }, onTermination: { print("lengths: \($0)") })

// Answering requests from a socket, in their order.
let lookUp = Command<Bytes, Bytes, SocketError>(.queue(limit: 1000, running: 4)) { name in
    Resolver.system.addresses(of: String(name), port: 0, loop: loop).map { Bytes("\($0)\n") }
}
let server = try Server(on: .loopback(port: 7006), loops: LoopGroup(loop)) { connection in
    let requests = connection.received.framed(by: .newline, limit: 1024)
    let replies = requests.execute(lookUp) { error, name in Bytes("\(name): \(error)\n") }
    return connection.send(from: replies)
}
try loop.run()
