// SPDX-License-Identifier: MIT
import Foundation
import SchedulerConformance

/// A thread that runs one closure and can be joined. Run a call on it that could block forever: after a failed join, only
/// this thread stays blocked.
package final class TestThread: Sendable {
    private let ended = Latch()
    private let failure = Box<(any Error)?>(nil)

    package init(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [ended, failure] in
            do { try body() } catch { failure.value = error }
            ended.arrive()
        }
    }

    /// Waits for the thread to end, and rethrows the error of its closure.
    package func join(_ what: String = "a thread", file: StaticString = #fileID, line: UInt = #line) throws {
        try ended.wait(what, file: file, line: line)
        if let error = failure.value { throw error }
    }
}

/// Runs `body` on a new thread, because the few threads of the pool are for tasks.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
        _ = TestThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
