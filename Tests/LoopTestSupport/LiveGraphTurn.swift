// SPDX-License-Identifier: MIT
import Dispatch

/// Lets one test at a time use the live graph, which covers the whole process. A suite stores it, so that it exists as
/// long as a test runs.
package final class LiveGraphTurn: Sendable {
    private static let semaphore = DispatchSemaphore(value: 1)

    package init() { Self.semaphore.wait() }

    deinit { Self.semaphore.signal() }
}
