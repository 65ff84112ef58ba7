// SPDX-License-Identifier: MIT
package import ReactiveCore
import SchedulerConformance

extension LoopScheduler {
    /// Runs this number of turns without waiting.
    package func turns(_ count: Int) throws {
        for _ in 0..<count { try runOnce(waiting: false) }
    }

    /// Runs turns until `isDone` returns true, which must happen within the time limit.
    package func turns(
        file: StaticString = #fileID,
        line: UInt = #line,
        until isDone: () -> Bool
    ) throws {
        let limit = ContinuousClock.now + .seconds(Latch.limit)
        while !isDone() {
            if ContinuousClock.now > limit {
                throw TimeLimitExceeded(description: "\(file):\(line): turns: not within \(Latch.limit) s")
            }
            try runOnce(waiting: false)
        }
    }

    /// Runs `body` on the loop and waits for it. All work submitted before has run on return.
    package func sync(_ body: @escaping @Sendable () -> Void = {}) throws {
        let done = Latch()
        execute {
            body()
            done.arrive()
        }
        try done.wait("a hop to \(name)")
    }

    /// Keeps the thread busy for this duration, measured with the loop's clock.
    package func spin(_ duration: Duration) {
        let end = now + duration
        while now < end {}
    }
}
