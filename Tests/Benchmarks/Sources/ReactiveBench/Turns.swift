// SPDX-License-Identifier: MIT
import LoopName
import Measure
import ReactiveCore
import SchedulerEngine

/// Turns of one job each, with and without a watchdog. The watchdog's limit is so long that its thread sleeps.
func measureTurns(_ arguments: Arguments) throws {
    let name = LoopName(arguments)
    let count = arguments.number("count", default: 100_000)
    let loop = name.main
    // With a second thread, calls of the C library cost more. So there is one without a watchdog, too.
    let second = try name.make("second")
    takeTurns(loop, "turn", name.rawValue, count).report()
    let watchdog = try LoopWatchdog(observing: [loop], limit: .seconds(3600)) { _ in }
    takeTurns(loop, "watched turn", name.rawValue, count).report()
    watchdog.dispose()
    second.dispose()
}

private func takeTurns(_ loop: any LoopScheduler, _ row: String, _ who: String, _ count: Int) -> Sample {
    let turns = Turns(loop)
    // The first turns allocate.
    turns.take(100)
    return measure(row, who, events: count) { turns.take(count) }
}

/// A job that submits itself again.
private final class Turns: Sendable {
    private let loop: any LoopScheduler
    private let taken = Counter()
    private let limit = Counter()

    init(_ loop: any LoopScheduler) { self.loop = loop }

    func take(_ count: Int) {
        limit.value = taken.value + count
        loop.execute { self.next() }
        do { try loop.run() } catch { fail("\(error)") }
    }

    private func next() {
        if taken.add() == limit.value { loop.stop() } else { loop.execute { self.next() } }
    }
}
