// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// A barrier that opens after a number of arrivals.
package final class Latch: Sendable {
    private struct State {
        var missing: Int
        var waiting: [ParkingSpot] = []
    }

    /// The time limit of a test's wait, in seconds. Only a test that hangs reaches it, also under a sanitizer on a loaded
    /// machine. `TEST_WAIT_LIMIT` overrides it, so that a hang does not cost CI more than a whole run.
    package static let limit: Int = {
        guard let text = Platform.variable("TEST_WAIT_LIMIT") else { return 900 }
        guard let seconds = Int(text), (1..<1_000_000).contains(seconds) else {
            fatalError("TEST_WAIT_LIMIT: \(text) is not a positive number of seconds below a million")
        }
        return seconds
    }()

    private let state: Lock<State>
    private let birth: Birth?

    package init(_ count: Int = 1, file: StaticString = #fileID, line: Int = #line) {
        state = Lock(State(missing: count))
        birth = Birth.of("a latch", file, line)
    }

    package func arrive() {
        let waiting = state.withLock { state in
            state.missing -= 1
            return state.missing == 0 ? state.waiting : []
        }
        for spot in waiting { spot.unpark() }
    }

    package var isOpen: Bool { missing <= 0 }

    /// The number of missing arrivals.
    package var missing: Int { state.withLock { state in state.missing } }

    /// Blocks the thread until the latch is open. Returns `false` on a timeout. Any number of threads may wait.
    package func wait(_ limit: Duration) -> Bool {
        let spot = ParkingSpot()
        let isOpen = state.withLock { state in
            if state.missing > 0 { state.waiting.append(spot) }
            return state.missing <= 0
        }
        return isOpen || spot.park(nanoseconds: limit.saturatedNanoseconds)
    }
}
