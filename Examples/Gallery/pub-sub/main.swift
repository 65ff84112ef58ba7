// SPDX-License-Identifier: MIT
// pub-sub [PORT]: "SUB TOPIC" subscribes a connection to a topic, and "PUB TOPIC TEXT" sends a text to its subscribers.
import Glibc
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main  // Or LibuvLoop.main, from SchedulerLibuv.

/// Prints an error and exits. The exit code is 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    let line = "pub-sub: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(code)
}

/// All messages. A subscriber that reads too slowly loses the oldest messages that wait for it.
let messages = Subject<(topic: String, text: String), Never>(whilePaused: .dropOldest(256))

/// The answers to a command. Those to SUB end when the peer ends its stream: otherwise a subscriber that leaves would
/// keep its connection. A connection may have at most 16 topics.
func answers(to line: Bytes, from peer: Connection, topics: inout Int) -> Signal<Bytes, SocketError> {
    let words = String(line).split(separator: " ", maxSplits: 2).map { String($0) }
    switch (words.first ?? "", words.count) {
    case ("SUB", 2) where topics < 16:
        topics += 1
        let texts = messages.signal.filter { $0.topic == words[1] }.map { Bytes("MSG \($0.topic) \($0.text)\n") }
        return texts.take(until: peer.endOfStream).prefix(value: "OK\n").setFailureType(to: SocketError.self)
    case ("PUB", 3):
        messages.send((words[1], words[2]))
        return .just("OK\n")
    default: return .just("ERR write SUB TOPIC, at most 16 times, or PUB TOPIC TEXT\n")
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count <= 1, let port = UInt16(arguments.first ?? "7000")
else { quit("usage: pub-sub [PORT], with a port from 0 to 65535", code: 64) }

/// The first SIGTERM or SIGINT. A second one terminates the process.
let stopping: Signal<ProcessSignal, Never> = loop.processSignals(.terminate, .interrupt).take(1)
    .flatMapError { error in quit("\(error)") }
    .share()

do {
    let limits = ServerLimits(maxConnections: 1000, maxConnectionsPerAddress: 100)
    let options = [SocketOption.keepAlive(true)]  // A subscriber may be silent for long.
    let server = try Server(on: .loopback(port: port), loops: LoopGroup(loop), limits: limits, options: options) {
        peer in
        let commands = peer.received.framed(by: .newline, limit: 1024)
        let replies = commands.scanMap(into: 0) { topics, line in answers(to: line, from: peer, topics: &topics) }
        return peer.send(from: replies.flatten().take(until: stopping))
    }
    stopping.subscribe(onValue: { _ in
        server.drain(within: .seconds(10)).subscribe(onTermination: { _ in loop.stop() })
    })
    print("listening on \(server.localAddress)")
    fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
    try loop.run()
} catch { quit("\(error)") }
