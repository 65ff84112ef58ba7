// SPDX-License-Identifier: MIT
import Foundation
package import SchedulerConformance

/// The error of a wait that took too long. The test that waited fails with it.
package struct TimeLimitExceeded: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

extension Latch {
    /// The time limit of a test's wait, in seconds. A loaded machine under a sanitizer needs this long, because a
    /// task waits there for one of the pool's two threads behind hundreds of tests. Only a test that hangs reaches
    /// the limit. `TEST_WAIT_LIMIT` overrides it, so that a hang does not cost CI more than a whole run.
    package static let limit: Int = {
        guard let text = ProcessInfo.processInfo.environment["TEST_WAIT_LIMIT"] else { return 900 }
        guard let seconds = Int(text), seconds > 0 else {
            fatalError("TEST_WAIT_LIMIT: \(text) is not a positive number of seconds")
        }
        return seconds
    }()

    /// Blocks the thread until the latch is open. Any number of threads may wait.
    package func wait(_ what: String = "a latch", file: StaticString = #fileID, line: UInt = #line) throws {
        guard wait(.seconds(Self.limit)) else {
            throw TimeLimitExceeded(
                description: "\(file):\(line): \(what) still lacks \(missing) after \(Self.limit) s"
            )
        }
    }
}

/// Blocks until another thread has made `isDone` true.
package func waitUntil(_ what: String, file: StaticString = #fileID, line: UInt = #line, _ isDone: () throws -> Bool)
    throws
{
    let limit = ContinuousClock.now + .seconds(Latch.limit)
    while try !isDone() {
        if ContinuousClock.now > limit { throw TimeLimitExceeded(description: "\(file):\(line): no \(what)") }
        Machine.pause(.microseconds(200))
    }
}

/// `waitUntil` for a task. It polls on a separate thread: tests occupy the few threads of the pool, and the condition
/// may need one of them.
package func eventually(
    _ what: String,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ isDone: @escaping @Sendable () throws -> Bool
) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        _ = TestThread {
            continuation.resume(with: Result { try waitUntil(what, file: file, line: line, isDone) })
        }
    }
}
