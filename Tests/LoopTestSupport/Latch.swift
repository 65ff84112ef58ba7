import Dispatch
import ReactiveSupport

/// What a wait throws that took too long: the test that waited fails with it.
package struct TimeLimitExceeded: Error, CustomStringConvertible {
    package let description: String
}

/// Opens when it has been told so a number of times.
package final class Latch: Sendable {
    /// Long enough for a loaded machine under a sanitizer, where a task waits for one of the pool's two threads behind
    /// hundreds of tests; only what hangs gets there.
    package static let limit = 900

    private let missing: Lock<Int>
    private let opened = DispatchSemaphore(value: 0)

    package init(_ count: Int = 1) {
        missing = Lock(count)
        if count == 0 { opened.signal() }
    }

    package func arrive() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { opened.signal() }
    }

    package var isOpen: Bool { missing.withLock { missing in missing <= 0 } }

    /// Blocks the thread until it is open. Any number of threads may wait.
    package func wait(_ what: String = "a latch", file: StaticString = #fileID, line: UInt = #line) throws {
        let result = opened.wait(timeout: .now() + .seconds(Self.limit))
        opened.signal()
        let left = missing.withLock { missing in missing }
        guard result == .success, left <= 0 else {
            throw TimeLimitExceeded(description: "\(file):\(line): \(what) still lacks \(left) after \(Self.limit) s")
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
        pace(microseconds: 200)
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
