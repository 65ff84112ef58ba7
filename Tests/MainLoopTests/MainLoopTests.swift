import LoopTestSupport
import Testing

/// What our main loops do beyond the rule book, each in a process of its own, since it needs the main thread.
@Suite(.serialized)
struct MainLoopTests {
    private func run(_ scenario: String, _ kind: LoopKind) throws {
        let outcome = try ChildProgram.run("MainLoopProgram", scenario, kind.rawValue)
        #expect(outcome.code == 0 && outcome.output.hasSuffix("ok\n"), "\(outcome)")
    }

    @Test("The main loop runs, stops, runs once", arguments: LoopKind.all)
    func running(_ kind: LoopKind) throws { try run("run", kind) }

    @Test("The main loop cannot be run on another thread", arguments: LoopKind.all)
    func wrongThread(_ kind: LoopKind) throws { try run("thread", kind) }

    @Test("DispatchLoop.main is a guest of another main loop's run", arguments: LoopKind.all)
    func guest(_ kind: LoopKind) throws { try run("guest", kind) }

    @Test("DispatchLoop.main works under dispatchMain()")
    func dispatchMain() throws { try run("dispatchMain", .dispatch) }

    @Test("DispatchLoop.main works under RunLoop.main.run()")
    func runLoop() throws { try run("runLoop", .dispatch) }

    @Test("A main loop can be disposed", arguments: LoopKind.all)
    func disposal(_ kind: LoopKind) throws { try run("dispose", kind) }

    @Test("A child that is forked inside a main loop's run can let go of the loop", arguments: LoopKind.all)
    func fork(_ kind: LoopKind) throws { try run("fork", kind) }

    @Test("A process without standard streams gets /dev/null there", arguments: LoopKind.all)
    func streams(_ kind: LoopKind) throws { try run("streams", kind) }

}
