// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerDispatch

// Three servers of one protocol: commands in lines, with a length prefix, and as netstrings.
let loop = DispatchLoop.main

// The three ports start at the only argument, or at 7002. With 0 the system picks them.
func portNumber(in arguments: ArraySlice<String>) -> UInt16 {
    guard arguments.count <= 1, let port = UInt16(arguments.first ?? "7002"), port <= 65533 else {
        print("usage: LineServer [PORT], with a port from 0 to 65533")
        exit(64)
    }
    return port
}
let firstPort = portNumber(in: CommandLine.arguments.dropFirst())

func address(_ number: UInt16) -> SocketAddress {
    .loopback(port: firstPort == 0 ? 0 : firstPort + number)
}

func reply(to command: Bytes) -> Bytes {
    Bytes(String(command).uppercased())
}

let lines = try Server(on: address(0), loops: LoopGroup(loop)) { connection in
    let commands = connection.received.framed(by: .newline, limit: 64 * 1024)
    return connection.send(from: commands.map { Bytes(joining: [reply(to: $0), "\n"]) })
}

let messages = try Server(on: address(1), loops: LoopGroup(loop)) { connection in
    let framing = Framing.lengthPrefix(bytes: 4)
    let commands = connection.received.framed(by: framing, limit: 1024 * 1024)
    // Encode the reply, not the command: upper case may have more bytes, as "ß" becomes "SS".
    return connection.send(
        from: commands.attemptMap { command throws(SocketError) in try framing.encode(reply(to: command)) }
    )
}

// A custom framing: netstrings, such as "5:hello,".
let netstring = Framing(
    encode: { payload in "\(payload.count):\(payload)," }
) { buffered throws(SocketError) in
    guard let colon = buffered.prefix(8).firstIndex(of: UInt8(ascii: ":")) else {
        guard buffered.count < 8 else { throw SocketError(.malformed, "a netstring begins with a length and a colon") }
        return .incomplete
    }
    guard let length = WireInteger(decimal: buffered[..<colon]) else {
        throw SocketError(.malformed, "the length of a netstring is a decimal number")
    }
    // The length may be any number: it is checked when the closure returns.
    return .frame(header: colon + 1, payload: length, trailer: ",")
}

let netstrings = try Server(on: address(2), loops: LoopGroup(loop)) { connection in
    let commands = connection.received.framed(by: netstring, limit: 64 * 1024)
    return connection.send(
        from: commands.attemptMap { command throws(SocketError) in try netstring.encode(reply(to: command)) }
    )
}

loop.processSignals(.interrupt, .terminate).subscribe(
    onValue: { _ in loop.stop() },
    onTermination: { print("process signals ended: \($0)") }
)

for server in [lines, messages, netstrings] { print("listening on \(server.localAddress)") }
fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
try loop.run()
