// SPDX-License-Identifier: MIT
package import ReactiveCore
import Synchronization

/// A clock that only the test advances. The timers of a loop with this clock fire at exact instants.
package final class ManualClock: LoopClock {
    private let nanoseconds = Atomic<Int64>(0)

    package init() {}

    package var now: LoopInstant { LoopInstant(nanoseconds: nanoseconds.load(ordering: .acquiring)) }

    package func advance(by duration: Duration) {
        nanoseconds.wrappingAdd(Int64(duration / .nanoseconds(1)), ordering: .releasing)
    }
}
