package import ReactiveCore
import SchedulerConformance

extension LoopScheduler {
    /// Takes turns that do not wait.
    package func turns(_ count: Int) throws {
        for _ in 0..<count { try runOnce(waiting: false) }
    }

    /// Takes turns until `isDone`, which must be a matter of time.
    package func turns(
        file: StaticString = #fileID,
        line: UInt = #line,
        until isDone: () -> Bool
    ) throws {
        let limit = now + .seconds(Latch.limit)
        while !isDone() {
            if now > limit { throw TimeLimitExceeded(description: "\(file):\(line): not done by turns") }
            try runOnce(waiting: false)
        }
    }

    /// Runs `body` on the loop and waits until it has: everything given before has run by then.
    package func sync(_ body: @escaping @Sendable () -> Void = {}) throws {
        let done = Latch()
        execute {
            body()
            done.arrive()
        }
        try done.wait("a hop to \(name)")
    }

    /// Keeps the thread busy by the loop's clock.
    package func spin(_ duration: Duration) {
        let end = now + duration
        while now < end {}
    }
}
