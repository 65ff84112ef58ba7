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
    /// Queued jobs still run, and a watch has up to a minute to receive an end of stream. A timer must have been cancelled.
    ///
    /// - Parameter shortTimers: The longest delay of a timer that the test may leave to fire.
    /// - Throws: `SomethingLeft` if something is left, or if the caller runs on the loop, which cannot wait for itself. Also
    ///   the errors of a turn.
    package func expectNothingLeft(
        shortTimers: Duration = .zero,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        if isDisposed { return }
        if isCurrent { throw SomethingLeft(description: "\(file):\(line): \(name) cannot wait for itself") }
        let start = ContinuousClock.now
        var left = try heldAfterTurn()
        var limit: Duration {
            if left.work > 0 || left.watches > 0 { return .seconds(min(60, Latch.limit)) }
            return left.timers > 0 ? shortTimers : .zero
        }
        while ContinuousClock.now - start < limit { left = try heldAfterTurn() }
        let counts = [
            (left.timers, "timers"), (left.watches, "watches"), (left.signalHandlers, "signal handlers"),
            (left.work, "jobs"),
        ]
        let held = counts.filter { count, _ in count > 0 }.map { count, what in "\(count) \(what)" }
        if held.isEmpty { return }
        throw SomethingLeft(
            description: "\(file):\(line): after the end of its test, \(name) holds \(held.joined(separator: ", "))"
        )
    }

    /// Ends a fixture: expects that nothing is left, as `expectNothingLeft` does, and disposes the loop.
    ///
    /// If the loop owns a thread, call it by `defer` in the test: the last reference to a fixture may be that of a job, so
    /// its `deinit` may run on the loop.
    ///
    /// - Parameter record: Receives the error, if there is one. The test records it as an issue.
    package func expectNothingLeftAndDispose(
        file: StaticString = #fileID,
        line: UInt = #line,
        otherwise record: (any Error) -> Void
    ) {
        do { try expectNothingLeft(file: file, line: line) } catch { record(error) }
        dispose()
    }

    /// Runs a turn, or waits for one if the loop owns a thread. Returns the numbers of objects that the loop then holds.
    package func heldAfterTurn() throws -> LoopMeasurements {
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
