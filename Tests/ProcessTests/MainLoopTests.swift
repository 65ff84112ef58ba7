// SPDX-License-Identifier: MIT
import LoopTestSupport
import Testing

/// The behaviour of our main loops beyond the rule book, each test in its own process, since it needs the main
/// thread.
@Suite
struct MainLoopTests {
    private func run(_ scenario: String, _ kind: LoopKind) async throws {
        #expect(try await ChildProgram.failure(of: "MainLoopProgram", scenario, kind.rawValue) == nil)
    }

    @Test("The main loop runs, stops, and runs single turns", arguments: LoopKind.all)
    func running(_ kind: LoopKind) async throws { try await run("run", kind) }

    @Test("The main loop cannot be run on another thread", arguments: LoopKind.all)
    func wrongThread(_ kind: LoopKind) async throws { try await run("thread", kind) }

    @Test("DispatchLoop.main runs as a guest of another main loop's run", arguments: LoopKind.all)
    func guest(_ kind: LoopKind) async throws { try await run("guest", kind) }

    @Test("DispatchLoop.main works under dispatchMain()")
    func dispatchMain() async throws { try await run("dispatchMain", .dispatch) }

    @Test("After a suspension of the main task, main loops refuse to run, and others deliver", arguments: LoopKind.all)
    func mainTask(_ kind: LoopKind) async throws { try await run("mainTask", kind) }

    @Test("A main loop's run does not fire timers of Foundation's RunLoop", arguments: LoopKind.all)
    func foundationTimer(_ kind: LoopKind) async throws { try await run("foundationTimer", kind) }

    @Test("DispatchLoop.main works under RunLoop.main.run()")
    func runLoop() async throws { try await run("runLoop", .dispatch) }

    @Test(
        "R8: a run that waits for a callback returns after one, also if others run turns in between",
        arguments: LoopKind.all
    )
    func waiting(_ kind: LoopKind) async throws { try await run("waiting", kind) }

    @Test("Timers fire in order, whichever thread sets them", arguments: LoopKind.all)
    func order(_ kind: LoopKind) async throws { try await run("order", kind) }

    @Test("Work, timers and stops from many threads all run, with one callback at a time", arguments: LoopKind.all)
    func crowded(_ kind: LoopKind) async throws { try await run("crowded", kind) }

    @Test(
        "An object released with a main loop may still call schedule on it",
        arguments: LoopKind.all,
        ["askedOutside", "askedInside"]
    )
    func asking(_ kind: LoopKind, _ scenario: String) async throws { try await run(scenario, kind) }

    @Test("A main loop under its own run uses no second thread", arguments: LoopKind.all)
    func alone(_ kind: LoopKind) async throws { try await run("alone", kind) }

    @Test(
        "DispatchLoop.main is served when it has work, and not before",
        arguments: ["calledByWork", "calledByTimer", "calledFromElsewhere", "disposedUnused", "crowdedGuest"]
    )
    func late(_ scenario: String) async throws { try await run(scenario, .dispatch) }

    @Test("A guest that serves the main queue traps if its host runs it on another thread")
    func servedElsewhere() async throws {
        let outcome = try await ChildProgram.run("MainLoopProgram", "servedElsewhere", "dispatch")
        let sentence = "loop visitor serves the main queue, so its host must run it on the main thread"
        #expect(outcome.code != 0 && outcome.output.contains(sentence), "\(outcome)")
    }

    @Test("A main loop can be disposed", arguments: LoopKind.all)
    func disposal(_ kind: LoopKind) async throws { try await run("dispose", kind) }

    @Test("M8: another thread may be the first to use a main loop that then runs", arguments: LoopKind.all)
    func firstUse(_ kind: LoopKind) async throws { try await run("firstUse", kind) }

    @Test("M9: DispatchLoop.main as a guest loses no post and no timer of another thread")
    func lost() async throws { try await run("lost", .dispatch) }

    @Test("M9: work submitted after a run calls the host, whatever other threads do while the run ends")
    func end() async throws { try await run("end", .dispatch) }

    @Test("E3: an actor on the main loop runs even without descriptors for the loop", arguments: LoopKind.all)
    func actor(_ kind: LoopKind) async throws { try await run("actor", kind) }

    @Test("E3: DispatchLoop.main survives a kernel without memory for descriptors of libdispatch")
    func source() async throws { try await run("source", .dispatch) }

    @Test("A child forked inside a main loop's run can dispose the loop", arguments: LoopKind.all)
    func fork(_ kind: LoopKind) async throws { try await run("fork", kind) }

    @Test("In a process without standard streams their numbers are opened as /dev/null", arguments: LoopKind.all)
    func streams(_ kind: LoopKind) async throws { try await run("streams", kind) }
}
