// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveTesting
import Testing

// The snippets of the catalogue of ReactiveCore. A test runs the one that needs no loop, and compares what it prints.

private let printed = PrintedLines()

/// Replaces the standard library's function, so that a test can read what a snippet prints.
private func print(_ items: Any...) { printed.add(items) }

/// Prints a line every second until the result is disposed.
private func startHeartbeat(on scheduler: any TimedScheduler) -> any Disposable {
    scheduler.schedule(every: .seconds(1)) { print("alive") }
}

private func inATest() throws {
    let time = TestScheduler()
    let heartbeat = startHeartbeat(on: time)
    try time.advance(by: .seconds(3))  // Prints "alive" three times.
    heartbeat.dispose()
    try time.advance(by: .seconds(3))  // Prints nothing.
}

/// Runs the loop until the process receives SIGTERM.
private func serve(on loop: any LoopScheduler) throws(LoopError) {
    let heartbeat = startHeartbeat(on: loop)
    _ = try loop.onSignal(.terminate) {
        heartbeat.dispose()
        loop.stop()
    }
    try loop.run()
}

@Suite struct DocsCore {
    @Test func aHeartbeatFollowsVirtualTime() throws {
        try inATest()
        #expect(printed.lines == ["alive", "alive", "alive"])
    }
}
