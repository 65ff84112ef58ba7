package import SchedulerConformance

/// What a wait throws that took too long: the test that waited fails with it.
package struct TimeLimitExceeded: Error, CustomStringConvertible {
    package let description: String
}

extension Latch {
    /// How many seconds a test waits. Long enough for a loaded machine under a sanitizer, where a task waits for one of the
    /// pool's two threads behind hundreds of tests; only a test that hangs takes so long.
    package static let limit = 900

    /// Blocks the thread until it is open. Any number of threads may wait.
    package func wait(_ what: String = "a latch", file: StaticString = #fileID, line: UInt = #line) throws {
        guard wait(.seconds(Self.limit)) else {
            throw TimeLimitExceeded(
                description: "\(file):\(line): \(what) still lacks \(missing) after \(Self.limit) s"
            )
        }
    }
}

/// Waits for what another thread brings about.
package func waitUntil(_ what: String, file: StaticString = #fileID, line: UInt = #line, _ isDone: () throws -> Bool)
    throws
{
    let limit = ContinuousClock.now + .seconds(Latch.limit)
    while try !isDone() {
        if ContinuousClock.now > limit { throw TimeLimitExceeded(description: "\(file):\(line): no \(what)") }
        Machine.pause(.microseconds(200))
    }
}

/// The same for a task, on a thread of its own: the pool's few threads are busy with tests, and what is waited for may need
/// one.
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
