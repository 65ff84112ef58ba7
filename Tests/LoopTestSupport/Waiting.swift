// SPDX-License-Identifier: MIT
package import SchedulerConformance

/// The error of a wait that took too long. The test that waited fails with it.
package struct TimeLimitExceeded: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

extension Latch {
    /// Blocks the thread until the latch is open. Any number of threads may wait.
    package func wait(_ what: String = "a latch", file: StaticString = #fileID, line: UInt = #line) throws {
        guard wait(.seconds(Self.limit)) else {
            throw TimeLimitExceeded(
                description: "\(file):\(line): \(what) still lacks \(missing) after \(Self.limit) s"
            )
        }
    }
}

/// Polls until `isDone` returns true. Throws after the time limit of a wait.
package func waitUntil(_ what: String, file: StaticString = #fileID, line: UInt = #line, _ isDone: () throws -> Bool)
    throws
{
    let limit = ContinuousClock.now + .seconds(Latch.limit)
    while try !isDone() {
        if ContinuousClock.now > limit {
            throw TimeLimitExceeded(description: "\(file):\(line): \(what): not within \(Latch.limit) s")
        }
        Platform.pause(.microseconds(200))
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
    try await onThread { try waitUntil(what, file: file, line: line, isDone) }
}
