// SPDX-License-Identifier: MIT
import Dispatch
import LoopTestSupport
import SchedulerConformance

/// A second thread that runs a closure while the caller waits for it: a hop with a deterministic order.
package final class Hand: Sendable {
    private let work = Box<(@Sendable () -> Void)?>(nil)
    private let given = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    private let identity = Box<UInt>(0)

    package init() {
        _ = TestThread { [work, given, done, identity] in
            identity.value = threadIdentity()
            while true {
                given.wait()
                guard let body = work.value else { return }
                body()
                work.value = nil
                done.signal()
            }
        }
    }

    deinit { given.signal() }

    /// Whether the caller runs on this thread.
    package var isHere: Bool { identity.value == threadIdentity() }

    /// Runs `body` on this thread and waits for it. On this thread itself it is an ordinary call.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if isHere { return body() }
        work.value = body
        given.signal()
        let outcome = done.wait(timeout: .now() + .seconds(Latch.limit))
        precondition(outcome == .success, "the other thread is stuck in what a program asked of it")
    }
}
