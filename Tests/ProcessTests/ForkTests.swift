import LoopTestSupport
import Testing

/// What a fork does to loops, each in a process of its own: rules F1–F3 and G7 beyond the kit's checks.
@Suite(.serialized)
struct ForkTests {
    private func run(_ scenario: String, _ kind: LoopKind) throws {
        let outcome = try ChildProgram.run("ForkProgram", scenario, kind.rawValue)
        #expect(outcome.code == 0 && outcome.output.hasSuffix("ok\n"), "\(outcome)")
    }

    @Test(
        "G7: a signal that a child receives is the child's alone",
        arguments: LoopKind.all,
        ["signals", "signalAtFork"]
    )
    func signals(_ kind: LoopKind, _ scenario: String) throws { try run(scenario, kind) }

    @Test("F3: 300 children call everything on the parent's busy loop", arguments: LoopKind.all)
    func parentsLoop(_ kind: LoopKind) throws { try run("parentsLoop", kind) }

    @Test("F2: 100 children make loops while the parent's is busy", arguments: LoopKind.all)
    func childsLoop(_ kind: LoopKind) throws { try run("childsLoop", kind) }

    @Test("A callback forks, and the child's run ends there", arguments: LoopKind.all, ["insideCaller", "insideOwned"])
    func inside(_ kind: LoopKind, _ scenario: String) throws { try run(scenario, kind) }

    @Test("F2: signals that a child makes work, also where the parent was linking its own")
    func childsSignals() throws { try run("signalsOfChild", .dispatch) }

    @Test("A child may ask the parent's worker pool everything")
    func parentsPool() throws { try run("pool", .dispatch) }

    @Test("F3: the parent's signal handlers leave a child's own alone", arguments: LoopKind.all)
    func reusedNumbers(_ kind: LoopKind) throws { try run("reusedNumbers", kind) }

    @Test("The system's resolver works in a child", arguments: LoopKind.all)
    func names(_ kind: LoopKind) throws { try run("names", kind) }
}
