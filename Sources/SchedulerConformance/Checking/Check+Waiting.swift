// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSockets

extension Check {
    /// The limit of one wait. A longer wait counts as a hang.
    var patience: Duration { .seconds(12) * scale }

    /// Runs `count` turns that do not wait.
    package func turns(_ loop: any LoopScheduler, _ count: Int) throws {
        for _ in 0..<count { try loop.runOnce(waiting: false) }
    }

    /// Runs turns until `isDone`. Fails the check if that takes too long.
    package func turns(_ loop: any LoopScheduler, until what: String, _ isDone: () throws -> Bool) throws {
        note("takes turns until \(what)")
        let limit = Platform.now + patience
        while try !isDone() {
            if Platform.now > limit { throw Broken(what, "not within \(patience) of turns") }
            try loop.runOnce(waiting: false)
        }
    }

    /// Runs `body` on a loop that another thread runs, and waits until `body` has returned.
    package func sync(_ loop: any LoopScheduler, _ body: @escaping @Sendable () -> Void = {}) throws {
        let done = Latch()
        loop.execute {
            body()
            done.arrive()
        }
        try wait(for: done, "work submitted to \(loop.name) from another thread runs")
    }

    /// Blocks this thread until another thread opens `latch`. If `progress` has changed at the time limit, the wait begins
    /// again.
    package func wait(for latch: Latch, _ what: String, progress: () -> Int = { 0 }) throws {
        if latch.isOpen { return }
        note("waits: \(what)")
        var last = progress()
        while !latch.wait(patience) {
            let now = progress()
            if now == last {
                throw Broken(what, "not within \(patience); arrivals still missing: \(latch.missing)")
            }
            last = now
        }
    }

    /// Polls until `isDone` returns true.
    package func wait(until what: String, _ isDone: () -> Bool) throws {
        note("waits until \(what)")
        let limit = Platform.now + patience
        while !isDone() {
            if Platform.now > limit { throw Broken(what, "not within \(patience)") }
            Platform.pause(.microseconds(200))
        }
    }

    /// Keeps this thread busy for a duration of the loop's clock.
    package func spend(_ duration: Duration, on loop: any LoopScheduler) {
        if let spend = description.spend { return spend(duration, loop) }
        let end = loop.now + duration
        while loop.now < end {}
    }

    /// Starts a thread. If `body` throws an error, the check fails.
    @discardableResult
    package func thread(_ body: @escaping @Sendable () throws -> Void) -> Worker {
        let worker = Worker { [self] in
            do { try body() } catch { broken(by: error) }
        }
        atEnd { worker.join() }
        return worker
    }

    /// Records a thrown error as a failure.
    func broken(by error: any Error) {
        if let broken = error as? Broken {
            fail(expected: broken.expected, seen: broken.seen)
        } else if let error = error as? LoopError, error.code == .unavailable {
            fail(
                expected: "the capability that the rule needs, or a description that declares it absent",
                seen: "\(error)"
            )
        } else {
            fail(expected: "no error", seen: "\(type(of: error)): \(error)")
        }
    }

    /// Runs `body` inside a callback, which cannot throw. If `body` throws an error, the check fails.
    package func attempt(_ body: () throws -> Void) {
        do { try body() } catch { broken(by: error) }
    }

    /// The number of rounds: `count`, or a tenth of it under a sanitizer.
    package func rounds(_ count: Int) -> Int { Platform.rounds(count) }
}

/// The code of the loop error that `body` throws, or `nil` if it throws none.
package func failure(_ body: () throws -> Void) -> LoopError.Code? { (thrown(by: body) as? LoopError)?.code }

/// The code of the socket error that `body` throws, or `nil` if it throws none.
func socketError(_ body: () throws -> Void) -> SocketError.Code? { (thrown(by: body) as? SocketError)?.code }

private func thrown(by body: () throws -> Void) -> (any Error)? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
