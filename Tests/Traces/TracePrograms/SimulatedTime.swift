// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// A clock that stands still until a loop has nothing to do. It then jumps to the next event: the loop's deadline, or
/// an arrival from another thread.
package final class SimulatedTime: Sendable {
    /// The initial time.
    package static let origin: Int64 = 1000
    /// More waits than any program needs. Only a loop that spins reaches the limit.
    private static let mostWaits = 20_000

    private struct State {
        var now = SimulatedTime.origin
        var waits = 0
        var arrivals: ArraySlice<Program.Arrival>
        var places: [Int32: Int] = [:]
        var arrive: (@Sendable ([Step]) -> Void)?
    }

    private let state: Lock<State>
    private let hand: Hand

    package init(arrivals: [Program.Arrival], hand: Hand) {
        state = Lock(State(arrivals: arrivals[...]))
        self.hand = hand
    }

    /// Replaces a parameter of `Poller.init`.
    @TaskLocal package static var current: SimulatedTime?

    package var now: LoopInstant { LoopInstant(nanoseconds: state.withLock { state in state.now }) }

    package func spend(_ nanoseconds: Int64) { state.withLock { state in state.now += nanoseconds } }

    /// Sets the handler that performs the arriving steps.
    package func onArrival(_ body: (@Sendable ([Step]) -> Void)?) { state.withLock { state in state.arrive = body } }

    /// Sets the position of a descriptor within a batch.
    package func setPlace(_ place: Int, of descriptor: Int32) {
        state.withLock { state in state.places[descriptor] = place }
    }

    package func place(of descriptor: Int32) -> Int { state.withLock { state in state.places[descriptor] ?? .max } }

    /// Simulates a wait: polls for readiness, and advances the clock while nothing is ready.
    ///
    /// - Throws: `LoopError` if nothing would ever become ready, or if the loop spins.
    package func wait(until deadline: PollDeadline, ask: () throws(LoopError) -> Bool) throws(LoopError) {
        let waits = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        if waits > Self.mostWaits { throw LoopError(.systemCall, "the loop spins") }
        performArrivals()
        while true {
            if try ask() { return }
            let next = state.withLock { state in state.arrivals.first?.time }
            switch deadline {
            case .now: return
            case .at(let instant) where next.map({ $0 > instant.nanoseconds }) ?? true:
                return advance(to: instant.nanoseconds)
            case .at, .never:
                guard let next else { throw LoopError(.systemCall, "the loop waits for good") }
                advance(to: next)
                performArrivals()
            }
        }
    }

    private func advance(to time: Int64) { state.withLock { state in state.now = max(state.now, time) } }

    private func performArrivals() {
        while let arrival = nextArrival() {
            guard let arrive = state.withLock({ state in state.arrive }) else { return }
            hand.perform { arrive(arrival.steps) }
        }
    }

    private func nextArrival() -> Program.Arrival? {
        state.withLock { state in
            guard let first = state.arrivals.first, first.time <= state.now else { return nil }
            return state.arrivals.removeFirst()
        }
    }
}

/// A clock that returns the simulated time.
package struct SimulatedClock: LoopClock {
    package let time: SimulatedTime

    package var now: LoopInstant { time.now }
}
