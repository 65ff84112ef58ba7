// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerDispatch
import SchedulerEngine
import Testing

// The snippets of Docs/Tasks.md.

/// The sessions of a service. Its state belongs to the loop.
actor Sessions {
    nonisolated let loop: any LoopScheduler
    private var names: Set<String> = []

    init(on loop: any LoopScheduler) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func add(_ name: String) { names.insert(name) }

    var count: Int { names.count }
}

private func note(_ connection: Connection, in sessions: Sessions) {
    connection.received.framed(by: .newline, limit: 256).subscribe(
        onValue: { line in sessions.assumeIsolated { $0.add(String(line)) } },
        onTermination: { _ in }
    )
}

private func read(
    _ connection: Connection,
    in sessions: Sessions,
    on loop: any LoopScheduler
) -> Task<Void, any Error> {
    let task = Task(executorPreference: loop) {
        for try await line in connection.received.framed(by: .newline, limit: 256).values(limit: 8) {
            await sessions.add(String(line))
        }
    }
    return task
}

@Suite struct TasksSnippets {
    /// Both ends of a connection on `loop`.
    private func pair(on loop: any LoopScheduler) async throws -> (Connection, Connection) {
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        async let accepted = listener.connections.first()
        let client = try await Connection.connect(to: listener.localAddress, loop: loop).first()
        return (try #require(client), try #require(try await accepted))
    }

    @Test func aCallbackUsesTheActorWithoutAHop() async throws {
        let loop = try DispatchLoop(name: "snippet")
        defer { loop.dispose() }
        let sessions = Sessions(on: loop)
        let (client, accepted) = try await pair(on: loop)
        note(accepted, in: sessions)
        client.send("ada\ngrace\nada\n")
        client.finishSending()
        let limit = ContinuousClock.now + .seconds(900)
        while await sessions.count < 2, ContinuousClock.now < limit { await Task.yield() }
        #expect(await sessions.count >= 2)
    }

    @Test func aTaskReadsOnTheLoop() async throws {
        let loop = try DispatchLoop(name: "snippet")
        defer { loop.dispose() }
        let sessions = Sessions(on: loop)
        let (client, accepted) = try await pair(on: loop)
        let task = read(accepted, in: sessions, on: loop)
        client.send("ada\ngrace\nada\n")
        client.finishSending()
        try await task.value
        #expect(await sessions.count == 2)
    }
}
