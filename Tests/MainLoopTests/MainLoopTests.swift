import LoopTestSupport
import Testing

/// Each rule in a process of its own, since it needs the main thread.
@Suite(.serialized)
struct MainLoopTests {
    private func run(_ scenario: String, _ kind: LoopKind) throws {
        let outcome = try ChildProgram.run("MainLoopProgram", scenario, kind.rawValue)
        #expect(outcome.code == 0 && outcome.output.hasSuffix("ok\n"), "\(outcome)")
    }

    @Test("M1: blocks, delayed blocks and sources of the main queue run on the main thread", arguments: LoopKind.all)
    func mainQueue(_ kind: LoopKind) throws { try run("M1", kind) }

    @Test("M2: the main actor's tasks run, also after a sleep", arguments: LoopKind.all)
    func mainActor(_ kind: LoopKind) throws { try run("M2", kind) }

    @Test("M3: in the loop's callbacks the main actor may be assumed", arguments: LoopKind.all)
    func isolation(_ kind: LoopKind) throws { try run("M3", kind) }

    @Test("M4: a main loop that has nothing to do does not wake", arguments: LoopKind.all)
    func idle(_ kind: LoopKind) throws { try run("M4", kind) }

    @Test("M5: a block that always queues itself again starves nobody", arguments: LoopKind.all)
    func fairness(_ kind: LoopKind) throws { try run("M5", kind) }

    @Test("M6: other loops leave the main queue alone", arguments: LoopKind.all)
    func otherLoops(_ kind: LoopKind) throws { try run("M6", kind) }

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

    @Test("F1: a forked child is refused, and its parent unharmed", arguments: LoopKind.all)
    func fork(_ kind: LoopKind) throws { try run("fork", kind) }

    @Test("D3, Z4: loops leave no descriptor and no thread behind", arguments: LoopKind.all)
    func leaks(_ kind: LoopKind) throws { try run("leaks", kind) }

    @Test("A process without standard streams gets /dev/null there", arguments: LoopKind.all)
    func streams(_ kind: LoopKind) throws { try run("streams", kind) }

    @Test("Z1, Z2, Z3: 2 000 of each kind made and let go of leave nothing", arguments: LoopKind.all)
    func census(_ kind: LoopKind) throws { try run("census", kind) }

    @Test("N5: out of descriptors a listener waits, and spins not", arguments: LoopKind.all)
    func exhaustion(_ kind: LoopKind) throws { try run("exhaustion", kind) }
}
