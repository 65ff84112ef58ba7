// SPDX-License-Identifier: MIT
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

private let printed = Box<[String]>([])

/// Takes the place of the standard library's function, so that the test can read what the snippet prints.
private func print(_ items: Any...) {
    let line = items.map { "\($0)" }.joined(separator: " ")
    printed.update { lines in lines.append(line) }
}

private func timers() throws {
    let loop = try EpollLoop(name: "timers", thread: .caller)
    let late = loop.schedule(after: .seconds(60)) { print("late") }
    loop.schedule(after: .milliseconds(20)) { late.dispose() }
    loop.schedule(after: .milliseconds(10)) { print("timer") }
    loop.execute { print("work") }
    try loop.runUntilIdle()  // Prints "work", "timer".
}

@Suite struct LifeOfATimerTests {
    @Test("Docs/LifeOfATimer.md: work runs before the wait, a timer after it, a disposed timer never")
    func order() throws {
        try timers()
        #expect(printed.value == ["work", "timer"])
    }
}
