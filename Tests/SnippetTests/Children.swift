// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine
import Testing

// The snippets of Docs/Children.md.

private let printed = Recorder<String>()

/// Replaces the standard library's function, so that a test can read what a snippet prints.
private func print(_ item: Any) { printed.append("\(item)") }

private func sort(_ words: Signal<Bytes, Never>, on loop: any LoopScheduler) throws {
    let child = try ChildProcess("sort", ["-u"], standardInput: .piped, standardOutput: .piped, loop: loop)
    child.standardInput?.send(from: words)
    child.standardOutput?.received.subscribe(onValue: { print($0) }, onTermination: { print("output \($0)") })
    child.exit.subscribe(onValue: { print("sort \($0)") }, onTermination: { print("exit \($0)") })
    try loop.runUntilIdle()
}

/// Not run: other tests of this process count the handlers of these signals.
private func stopOnSignals(_ loop: any LoopScheduler) {
    loop.processSignals(.terminate, .interrupt).subscribe(
        onValue: { _ in loop.stop() },
        onTermination: { print("process signals ended: \($0)") }
    )
}

@Suite struct ChildrenSnippets {
    @Test func itSorts() throws {
        let loop = try DispatchLoop(name: "snippet", thread: .caller)
        defer { loop.dispose() }
        try sort(Signal<Bytes, Never>(values: ["pear\n", "apple\n", "pear\n"]), on: loop)
        // The exit may be reported before the output.
        let exits = printed.values.filter { $0.hasPrefix("sort ") }
        let ends = printed.values.filter { $0.hasSuffix(" completed") }
        let output = printed.values.filter { !$0.hasPrefix("sort ") && !ends.contains($0) }
        #expect(exits == ["sort exited with 0"])
        #expect(ends.sorted() == ["exit completed", "output completed"])
        #expect(output.joined() == "apple\npear\n")
    }
}
