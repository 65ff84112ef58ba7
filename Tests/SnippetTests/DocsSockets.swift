// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerEngine
import Testing

// The snippets of the DocC catalogue of ReactiveSockets that no example program contains.

/// Docs/Services.md. It is not run, because other tests use the handler of the process.
private func reportLostFailures(to log: @escaping @Sendable (String) -> Void) {
    UnhandledFailure.setHandler { failure in log(failure.description) }
}

@Suite struct DocsSockets {
    @Test func slicing() {
        let printed = Recorder<String>()
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let message: Bytes = "SET 42"
        let number = message[4...]
        print(number.startIndex)  // Prints "4": a slice shares the memory and keeps the indices.

        let value = WireInteger(decimal: number)?.value(in: 0...65_535) ?? 0
        print(value)  // Prints "42". A number outside the range would have been nil.

        let header = Bytes(joining: [Bytes(UInt16(7)), Bytes(UInt32(1024), .littleEndian)])
        print(header.integer(at: 0, as: UInt16.self) ?? 0)  // Prints "7".
        print(header.integer(at: 2, as: UInt32.self, .littleEndian) ?? 0)  // Prints "1024".

        #expect(printed.values == ["4", "42", "7", "1024"])
    }

    @Test func exchanging() throws {
        let loop = try EpollLoop(name: "exchange", thread: .caller)
        defer { loop.dispose() }
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { _ in }
        )
        let address = listener.localAddress
        let printed = Recorder<String>()
        @Sendable func print(_ bytes: Bytes) { printed.append(String(bytes)) }

        Connection.connect(to: address, loop: loop).subscribe(
            onValue: { connection in
                connection.send("hello\n")
                connection.finishSending()  // The peer receives end of stream. This side still receives.
                connection.received.subscribe(
                    onValue: { bytes in print(bytes) },
                    onTermination: { _ in loop.stop() }
                )
            },
            onTermination: { if case .failed = $0 { loop.stop() } }
        )
        try loop.run()

        #expect(printed.values.joined() == "hello\n")
    }
}
