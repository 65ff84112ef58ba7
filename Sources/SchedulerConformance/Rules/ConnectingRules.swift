// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// N7, N19: connecting and name look-ups.
enum ConnectingRules {
    static let all = [n7, n19]

    static let n7 = Rule(
        "N7",
        "An attempt to connect terminates once: refused, timed out or connected; if disposed, it sends nothing; nothing leaks.",
        needs: [.sockets]
    ) { check, loop in
        let closed = RawSocket.closedAddress
        let refused = Connection.connect(to: closed, loop: loop).log()
        try check.turns(loop, until: "a refused attempt has terminated") { refused.hasEnded }
        check.equal(refused.code, .refused, "the error of the attempt")
        check.equal(refused.values.count, 0, "connections that the attempt sent")
        check.expect(OpenSockets.descriptors(on: closed).isEmpty, "the descriptor of the attempt is closed")

        let silent = check.silentPeer()
        let before = OpenSockets.connecting
        let settings = ConnectSettings(timeout: .milliseconds(50))
        let start = loop.now
        let late = Connection.connect(to: silent.address, loop: loop, settings: settings).log()
        try check.turns(loop, until: "a connection attempt to a silent peer is pending") {
            OpenSockets.connecting == before + 1
        }
        try check.turns(loop, until: "the attempt has terminated") { late.hasEnded }
        check.equal(late.code, .timedOut, "the error of the attempt")
        check.expect(loop.now - start, "the attempt times out after at least 50 ms") { $0 >= .milliseconds(50) }
        check.equal(OpenSockets.connecting, before, "sockets that are still connecting")
        try check.turns(loop, 5)
        check.equal(late.ends.count, 1, "terminations of the attempt")

        let cancelled = Connection.connect(to: silent.address, loop: loop).log()
        try check.turns(loop, until: "a second attempt is pending") { OpenSockets.connecting == before + 1 }
        cancelled.subscription.dispose()
        try check.turns(loop, until: "the disposed attempt has stopped") { OpenSockets.connecting == before }
        check.equal(cancelled.ends.count, 0, "terminations of a disposed attempt")
        try check.turns(loop, 2)
        ResourceRules.expectNothingHeld(check, loop)
        // Disposing the loop also ends the attempt without a report.
        let other = try check.loop()
        let orphan = Connection.connect(to: silent.address, loop: other).log()
        try check.turns(other, until: "an attempt of another loop is pending") { OpenSockets.connecting == before + 1 }
        other.dispose()
        check.equal(OpenSockets.connecting, before, "sockets that are connecting after their loop was disposed")
        check.equal(orphan.ends.count, 0, "terminations of an attempt of a disposed loop")
    }

    static let n19 = Rule(
        "N19",
        "Name look-ups run off the loop and deliver results and failures on it, 100 at a time; a disposed one sends nothing.",
        .optional,
        needs: [.sockets]
    ) { check, loop in
        let local = Resolver.system.addresses(of: "localhost", port: 80, loop: loop).log()
        try check.step("runUntilIdle, with a look-up under way", loop.runUntilIdle)
        check.equal(local.values.count, 1, "results for localhost")
        check.expect(local.values.first?.isEmpty == false, "the result has an address")
        let pool = WorkerPool(name: "kit-names", maximumThreads: 4)
        let resolver = Resolver(pool: pool) { (host, port) throws(SocketError) in
            if host.hasPrefix("no") { throw SocketError(.unknownHost, "\(host) could not be resolved") }
            return [.loopback(port: port)]
        }
        let (found, failed) = (Box(0), Box(0))
        for number in 0..<100 {
            let name = number.isMultiple(of: 4) ? "no\(number).test" : "host\(number).test"
            resolver.addresses(of: name, port: number, loop: loop).subscribe(
                onValue: { addresses in
                    check.expect(loop.isCurrent, "the result is delivered on the loop")
                    check.equal(addresses.map(\.port), [UInt16(number)], "the ports of the result")
                    found.increment()
                },
                onTermination: { if $0.code == .unknownHost { failed.increment() } }
            )
        }
        let silent = resolver.addresses(of: "gone.test", port: 1, loop: loop).log()
        silent.subscription.dispose()
        try loop.runUntilIdle()
        check.equal([found.value, failed.value], [75, 25], "results and failures")
        check.expect(silent.values.isEmpty && silent.ends.isEmpty, "a disposed look-up sends nothing")
    }
}
