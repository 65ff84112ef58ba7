package import ReactiveCore
import ReactiveSupport

/// A clock that stands still until a loop has nothing to do, and then jumps to what comes next: the loop's deadline, or what
/// another thread does at an instant.
package final class SimulatedTime: Sendable {
    /// Where the clock begins.
    package static let origin: Int64 = 1000
    /// More waits than any program needs: a loop that spins gets there.
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

    /// Takes the place of a parameter of `Poller.init`.
    @TaskLocal package static var current: SimulatedTime?

    package var now: LoopInstant { LoopInstant(nanoseconds: state.withLock { state in state.now }) }

    package func spend(_ nanoseconds: Int64) { state.withLock { state in state.now += nanoseconds } }

    /// What performs the steps that arrive from outside.
    package func onArrival(_ body: (@Sendable ([Step]) -> Void)?) { state.withLock { state in state.arrive = body } }

    /// Where a descriptor stands among those of one batch.
    package func setPlace(_ place: Int, of descriptor: Int32) {
        state.withLock { state in state.places[descriptor] = place }
    }

    package func place(of descriptor: Int32) -> Int { state.withLock { state in state.places[descriptor] ?? .max } }

    /// Does what a wait does: asks what is ready, and moves the clock while nothing is.
    ///
    /// - Throws: where nothing would ever be ready, or the loop waits without end.
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

/// Reads a simulated time.
package struct SimulatedClock: LoopClock {
    package let time: SimulatedTime

    package var now: LoopInstant { time.now }
}
