import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerDispatch

// Two servers of one protocol: commands in lines, and commands with their length before them.
let loop = DispatchLoop.main

func reply(to command: Bytes) -> Bytes {
    Bytes(String(command).uppercased())
}

let lines = try Server(on: .loopback(port: 7002), loops: LoopGroup(loop)) { connection in
    let commands = connection.received.framed(by: .newline, limit: 64 * 1024)
    return connection.send(from: commands.map { Bytes(joining: [reply(to: $0), "\n"]) })
}

let messages = try Server(on: .loopback(port: 7003), loops: LoopGroup(loop)) { connection in
    let framing = Framing.lengthPrefix(bytes: 4)
    let commands = connection.received.framed(by: framing, limit: 1024 * 1024)
    // A command has at most the limit's bytes, and so has its reply: four bytes can say that.
    return connection.send(from: commands.compactMap { try? framing.encode(reply(to: $0)) })
}

// Netstrings, as an example of a framing of one's own: "5:hello,".
let netstring = Framing { buffered throws(SocketError) in
    guard let colon = buffered.prefix(8).firstIndex(of: UInt8(ascii: ":")) else {
        if buffered.count >= 8 { throw SocketError(.malformed, "a netstring begins with its length and a colon") }
        return .incomplete(atLeast: buffered.count + 1)
    }
    guard let length = Int(String(buffered[..<colon])), length >= 0 else {
        throw SocketError(.malformed, "a netstring's length is a number")
    }
    let begin = colon + 1
    return .frame(payload: begin..<begin + length, length: begin + length + 1)
}

let netstrings = try Server(on: .loopback(port: 7004), loops: LoopGroup(loop)) { connection in
    let commands = connection.received.framed(by: netstring, limit: 64 * 1024)
    return connection.send(from: commands.map { Bytes("\($0.count):\(reply(to: $0)),") })
}

for server in [lines, messages, netstrings] { print("listening on \(server.localAddress)") }
try loop.run()
