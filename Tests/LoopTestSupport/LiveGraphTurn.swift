// SPDX-License-Identifier: MIT
import Dispatch
import SchedulerConformance

/// Lets one test at a time use the live graph, which covers the whole process. A suite stores it, so that it exists as
/// long as a test runs.
package final class LiveGraphTurn: Sendable {
    private static let semaphore = DispatchSemaphore(value: 1)

    package init() {
        let result = Self.semaphore.wait(timeout: .now() + .seconds(4 * Latch.limit))
        precondition(result == .success, "another test does not end its use of the live graph")
    }

    deinit { Self.semaphore.signal() }
}
