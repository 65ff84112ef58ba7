// SPDX-License-Identifier: MIT
package import ReactiveCore
import SchedulerConformance

/// The error of a loop that holds something after its test has closed everything.
package struct SomethingLeft: Error, CustomStringConvertible {
    package let description: String
}

extension LoopScheduler {
    /// Expects that the loop holds no timer, watch, signal handler or job. Call it when the test has closed everything
    /// that it has created on the loop. It does nothing on a disposed loop.
    ///
    /// Queued jobs still run, and watches have a minute to receive an end that is on its way. A timer has no such excuse:
    /// only its cancellation removes it in time.
    ///
    /// - Parameter shortTimers: The longest delay of a timer that may fire after the end.
    /// - Throws: `SomethingLeft`, and the errors of a turn.
    package func expectNothingLeft(
        shortTimers: Duration = .zero,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        if isDisposed { return }
        let start = ContinuousClock.now
        var left = try heldAfterTurn()
        while left.work > 0 || left.watches > 0 || left.timers > 0 {
            let isSettling = left.work > 0 || left.watches > 0
            let limit = isSettling ? .seconds(min(60, Latch.limit)) : shortTimers
            if ContinuousClock.now - start >= limit { break }
            left = try heldAfterTurn()
        }
        let counts = [
            (left.timers, "timers"), (left.watches, "watches"), (left.signals, "signal handlers"), (left.work, "jobs"),
        ]
        let held = counts.filter { count, _ in count > 0 }.map { count, what in "\(count) \(what)" }
        if held.isEmpty { return }
        throw SomethingLeft(
            description: "\(file):\(line): after the end of its test, \(name) holds \(held.joined(separator: ", "))"
        )
    }

    /// Runs a turn, or waits for one if the loop owns a thread. Returns the numbers of objects that the loop then holds.
    private func heldAfterTurn() throws -> LoopMeasurements {
        guard let measured = self as? any MeasuredLoop else {
            preconditionFailure("\(name) does not count its objects")
        }
        do throws(LoopError) {
            try runOnce(waiting: false)
            return try measured.measurements()
        } catch {
            guard error.code == .alreadyRunning else { throw error }
        }
        let held = Box<Result<LoopMeasurements, LoopError>>(.failure(LoopError(.disposed, "the loop did not answer")))
        try sync {
            held.value = Result { () throws(LoopError) in try measured.measurements() }
        }
        return try held.value.get()
    }
}
