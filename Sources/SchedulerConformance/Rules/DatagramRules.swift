// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// N18: datagrams.
enum DatagramRules {
    static let all = [n18]

    static let n18 = Rule(
        "N18",
        "Even empty datagrams keep their boundaries; truncation is reported; a refused or too large one does not end the socket.",
        .optional,
        needs: [.sockets]
    ) { check, loop in
        let server = try DatagramSocket(on: .loopback(port: 0), loop: loop, maximumSize: 5000)
        let client = try DatagramSocket(to: server.localAddress, loop: loop)
        let (asked, answered) = (server.received.log(), client.received.log())
        let data = check.noise(6000)
        for size in [0, 1, 1400, 0, 5000, 5001] {
            client.send(Bytes(data[..<size]))
            let count = asked.values.count + 1
            try check.turns(loop, until: "a datagram of \(size) bytes is received") { asked.values.count == count }
        }
        check.equal(asked.values.map(\.bytes.count), [0, 1, 1400, 0, 5000, 5000], "received sizes")
        check.equal(
            asked.values.map(\.isTruncated),
            [false, false, false, false, false, true],
            "which datagrams are truncated"
        )
        check.expect(
            asked.values.allSatisfy { $0.peer == client.localAddress },
            "each datagram names the client as its sender"
        )
        server.send("back", to: client.localAddress)
        try check.turns(loop, until: "the client receives the answer") { answered.values.count == 1 }

        let large = client.send(Bytes([UInt8](repeating: 0, count: 70_000))).log()
        try check.turns(loop, until: "a send that is too large has terminated") { large.hasEnded }
        check.equal(large.code, .messageTooLarge, "the error of the send")
        client.send("still there")
        try check.turns(loop, until: "the next datagram is received") { asked.values.count == 7 }

        // The refusal of a missing peer is reported as an error, and receiving continues.
        let nobody = RawSocket.closedAddress
        let lonely = try DatagramSocket(to: nobody, loop: loop)
        let (errors, received) = (Recorder<SocketError.Code>(), lonely.received.log())
        lonely.errors.subscribe(onValue: { errors.append($0.code) })
        lonely.send("anybody?")
        try check.turns(loop, until: "the refusal is reported") {
            if errors.count == 0 { lonely.send("anybody?") }
            return errors.count > 0
        }
        check.equal(errors.values.first, .refused, "the reported error")
        check.expect(!received.hasEnded, "receiving continues")
        for socket in [server, client, lonely] { socket.close() }
        try check.turns(loop, 3)
    }
}
