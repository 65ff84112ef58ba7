// SPDX-License-Identifier: MIT
import LoopTestSupport
import Testing

/// The effects of a fork on loops, each in its own process: rules F1–F3 and G7 beyond the kit's checks.
@Suite
struct ForkTests {
    private func run(_ scenario: String, _ kind: LoopKind) async throws {
        #expect(try await ChildProgram.failure(of: "ForkProgram", scenario, kind.rawValue) == nil)
    }

    @Test(
        "G7: a signal sent to a child does not reach the parent",
        arguments: LoopKind.all,
        ["signals", "signalAtFork"]
    )
    func signals(_ kind: LoopKind, _ scenario: String) async throws { try await run(scenario, kind) }

    @Test("F3: in 300 children, every call on the parent's busy loop returns", arguments: LoopKind.all)
    func parentsLoop(_ kind: LoopKind) async throws { try await run("parentsLoop", kind) }

    @Test("F2: 100 children create working loops while the parent's loop is busy", arguments: LoopKind.all)
    func childsLoop(_ kind: LoopKind) async throws { try await run("childsLoop", kind) }

    @Test("After a callback forks, the child's run ends", arguments: LoopKind.all, ["insideCaller", "insideOwned"])
    func inside(_ kind: LoopKind, _ scenario: String) async throws { try await run(scenario, kind) }

    @Test("F2: signals created in a child work although the parent was linking its own")
    func childsSignals() async throws { try await run("signalsOfChild", .dispatch) }

    @Test("In a child, every call on the parent's worker pool returns")
    func parentsPool() async throws { try await run("pool", .dispatch) }

    @Test("F3: disposing the parent's signal handlers does not affect the child's handlers", arguments: LoopKind.all)
    func reusedNumbers(_ kind: LoopKind) async throws { try await run("reusedNumbers", kind) }

    @Test("In a child, a watchdog of the parent is disposed, and a new one works", arguments: LoopKind.all)
    func watchdog(_ kind: LoopKind) async throws { try await run("watchdog", kind) }

    @Test("In a child that was forked during a capture, a new watchdog works", arguments: LoopKind.all)
    func captureAtFork(_ kind: LoopKind) async throws { try await run("captureAtFork", kind) }

    @Test("A watchdog does not report a process that was stopped in a callback", arguments: LoopKind.all)
    func stopped(_ kind: LoopKind) async throws { try await run("stopped", kind) }

    @Test("In a child, sockets on the parent's loop fail with the reason", arguments: LoopKind.all)
    func refusedSockets(_ kind: LoopKind) async throws { try await run("refusedSockets", kind) }

    @Test("The system's resolver works in a child", arguments: LoopKind.all)
    func names(_ kind: LoopKind) async throws { try await run("names", kind) }
}
