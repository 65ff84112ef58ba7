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

    @Test("R8: a run that waits for a callback waits for one, also between others' turns", arguments: LoopKind.all)
    func waiting(_ kind: LoopKind) throws { try run("waiting", kind) }

    @Test("Timers keep their order, whoever sets them", arguments: LoopKind.all)
    func order(_ kind: LoopKind) throws { try run("order", kind) }

    @Test("Many threads' work, timers and stops, and one callback at a time", arguments: LoopKind.all)
    func crowded(_ kind: LoopKind) throws { try run("crowded", kind) }

    @Test("Who goes with a main loop may ask it for a timer", arguments: LoopKind.all, ["askedOutside", "askedInside"])
    func asking(_ kind: LoopKind, _ scenario: String) throws { try run(scenario, kind) }

    @Test("A main loop under its own run has no thread beside", arguments: LoopKind.all)
    func alone(_ kind: LoopKind) throws { try run("alone", kind) }

    @Test(
        "DispatchLoop.main is served when there is something to do, not before",
        arguments: ["calledByWork", "calledByTimer", "calledFromElsewhere", "disposedUnused", "crowdedGuest"]
    )
    func late(_ scenario: String) throws { try run(scenario, .dispatch) }

    @Test("A main loop can be disposed", arguments: LoopKind.all)
    func disposal(_ kind: LoopKind) throws { try run("dispose", kind) }

    @Test("M8: another thread is the first to use a main loop that runs", arguments: LoopKind.all)
    func firstUse(_ kind: LoopKind) throws { try run("firstUse", kind) }

    @Test("M9: DispatchLoop.main as a guest loses no post and no timer of another thread's")
    func lost() throws { try run("lost", .dispatch) }

    @Test("M9: whatever another thread does while a run ends, later work calls the host")
    func end() throws { try run("end", .dispatch) }

    @Test("E3: without descriptors for the main loop, an actor on it still runs", arguments: LoopKind.all)
    func actor(_ kind: LoopKind) throws { try run("actor", kind) }

    @Test("A child that is forked inside a main loop's run can let go of the loop", arguments: LoopKind.all)
    func fork(_ kind: LoopKind) throws { try run("fork", kind) }

    @Test("A process without standard streams gets /dev/null there", arguments: LoopKind.all)
    func streams(_ kind: LoopKind) throws { try run("streams", kind) }
}
