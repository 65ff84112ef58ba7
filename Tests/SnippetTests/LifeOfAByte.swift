// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerEngine
import Testing

private func answerLines(of listener: Listener) {
    listener.connections.subscribe(
        onValue: { connection in
            let answers = connection.received
                .framed(by: .newline, limit: 64 * 1024)
                .map { line in Bytes("got \(line)\n") }
            connection.send(from: answers)
        },
        onTermination: { print("listening ended: \($0)") }
    )
}

@Suite struct LifeOfAByteTests {
    @Test("Docs/LifeOfAByte.md: each line is answered, and the answers end with the peer's stream")
    func answers() async throws {
        let loop = try EpollLoop(name: "life of a byte")
        defer { loop.dispose() }
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        answerLines(of: listener)
        let answers = try await withConnection(to: listener.localAddress, loop: loop) { received, send in
            try await send("first\nsecond\n")
            send.finish()
            var all = ""
            for try await bytes in received { all += String(bytes) }
            return all
        }
        #expect(answers == "got first\ngot second\n")
        listener.close()
    }
}
