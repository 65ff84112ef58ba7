// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// E3 and E4: exhaustion of descriptors. (Tests/ExhaustionProgram simulates a lack of threads and kernel memory.)
enum ExhaustionRules {
    static let all = [e3, e4]

    static let e3 = Rule(
        "E3",
        "If descriptors, threads or kernel memory run out, creating a loop throws `systemCall` and leaves nothing behind.",
        needs: [.descriptors, .ownRun]
    ) { check in
        // The first loop opens the one-time descriptors of the process.
        try check.loop().dispose()
        for isOwned in check.owners {
            var made = 0
            for count in 0..<40 where made == 0 {
                check.note(
                    "creates a loop, \(isOwned ? "with" : "without") its own thread, with \(count) free descriptors"
                )
                DescriptorLimit.leave(count)
                let before = ProcessResources.current()
                do {
                    let loop = try check.description.make("\(Platform.threadPrefix)e", isOwned)
                    made += 1
                    loop.dispose()
                } catch {
                    let code = (error as? LoopError)?.code
                    check.expect(code == .systemCall, "creating the loop throws systemCall", seen: "\(error)")
                    let left = ProcessResources.current().leftSince(before)
                    check.expect(left.isEmpty, "nothing is left of the loop", seen: left.joined(separator: ", "))
                }
                DescriptorLimit.raise()
            }
            check.equal(made, 1, "loops created with fewer than 40 descriptors")
        }
    }

    static let e4 = Rule.ofSockets(
        "E4",
        "If descriptors, threads or kernel memory run out, a running loop fails what needs them, serves the rest, and recovers.",
        needs: [.processSignals]
    ) { check, loop, bench in
        let (client, connection) = try bench.connect()
        connection.send(from: connection.received)
        DescriptorLimit.leave(0)
        check.note("lowers the limit of descriptors")
        let refused = failure { _ = try loop.onSignal(.user1) {} }
        check.equal(refused, .systemCall, "the error of a signal handler")
        let sockets = Recorder<SocketError.Code?>()
        sockets.append(socketError { _ = try Listener(on: .loopback(port: 0), loop: loop) })
        sockets.append(socketError { _ = try DatagramSocket(on: .loopback(port: 0), loop: loop) })
        let attempt = Connection.connect(to: .loopback(port: 9), loop: loop).log()
        try check.turns(loop, until: "an attempt to connect has failed") { attempt.hasEnded }
        sockets.append(attempt.code)
        let expected: [SocketError.Code?] = [.outOfDescriptors, .outOfDescriptors, .outOfDescriptors]
        check.equal(sockets.values, expected, "the errors of a listener, a datagram socket and a connection")
        let ticks = Box(0)
        loop.schedule(after: .milliseconds(1)) { ticks.increment() }
        client.send([1])
        let echo = try bench.receive(1, at: client)
        check.equal(echo, [1], "the echo of an existing connection")
        try check.turns(loop, until: "a timer fires") { ticks.value == 1 }
        DescriptorLimit.raise()
        check.note("raises the limit of descriptors")
        let (other, second) = try bench.connect()
        second.send(from: second.received)
        other.send([2])
        check.equal(try bench.receive(1, at: other), [2], "the echo of a new connection")
        connection.abort()
        second.abort()
        try check.turns(loop, 5)
    }
}
