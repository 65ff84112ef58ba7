// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine
import Testing

// The snippets of doc comments that no example program and no page contains.

struct UpperCase: ConnectionTransformer {
    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        out.toApplication(Bytes(bytes.map { (97...122).contains($0) ? $0 - 32 : $0 }))
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
}

@Suite struct DocComments {
    private func ask(_ address: SocketAddress, on loop: any LoopScheduler) async throws -> String {
        let answer = try await withConnection(to: address, loop: loop) { received, send in
            try await send("PING\r\n")
            for try await chunk in received { return String(chunk) }
            return ""
        }
        return answer
    }

    @Test func serving() async throws {
        let loops = try LoopGroup(count: 4) { number in try DispatchLoop(name: "worker-\(number)") }
        defer { for loop in loops.loops { loop.dispose() } }
        #expect(loops.loops.map(\.name) == ["worker-0", "worker-1", "worker-2", "worker-3"])
        let address = SocketAddress.loopback(port: 0)
        let server = try Server(on: address, loops: loops) { connection in
            connection.send(from: connection.received)
        }
        #expect(try await ask(server.localAddress, on: loops.loops[0]) == "PING\r\n")
    }

    @Test func transforming() async throws {
        let loop = try DispatchLoop(name: "upper case")
        defer { loop.dispose() }
        let listener = try Listener(on: .loopback(port: 0), loop: loop, transformer: { UpperCase() })
        listener.connections.subscribe(
            onValue: { $0.send(from: $0.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        let answer = try await withConnection(to: listener.localAddress, loop: loop) { received, send in
            try await send("ping")
            for try await chunk in received { return String(chunk) }
            return ""
        }
        #expect(answer == "PING")
    }

    @Test func describing() throws {
        let mine = LoopDescription("mine", main: { EpollLoop.main }) { name, isOwned in
            try EpollLoop(name: name, thread: isOwned ? .owned : .caller)
        }
        let loop = try mine.make("made", false)
        #expect(loop.name == "made")
        loop.dispose()
    }
}
