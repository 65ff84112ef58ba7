// SPDX-License-Identifier: MIT
import LoopName
import Measure
import ReactiveCore

/// Hops from another thread to a loop with its own thread, and between two such loops.
func measureHops(_ arguments: Arguments) throws {
    let name = LoopName(arguments)
    let count = arguments.number("count", default: 1_000_000)
    let trips = arguments.number("trips", default: 100_000)
    let who = name.rawValue
    let (near, far) = (try name.make("near"), try name.make("far"))
    if arguments.wants("execute") { flood(near, who, count).report() }
    if arguments.wants("round trip") { roundTrips(near, far, who, trips).report() }
    if arguments.wants("actor") { actorCalls(near, far, who, trips).report() }
    finish()
}

private func flood(_ loop: any LoopScheduler, _ who: String, _ count: Int) -> Sample {
    let flood = Flood(count)
    return measure("execute", who, events: count) {
        for _ in 0..<count { loop.execute { flood.step() } }
        flood.wait()
    }
}

/// Travels back and forth between two loops.
private final class Ball: Sendable {
    private let near: any LoopScheduler
    private let far: any LoopScheduler
    private let trips = Counter()
    private let count: Int
    private let done: Finish

    init(_ near: any LoopScheduler, _ far: any LoopScheduler, _ count: Int, _ done: Finish) {
        self.near = near
        self.far = far
        self.count = count
        self.done = done
    }

    func serve() { near.execute { self.there() } }

    private func there() { far.execute { self.back() } }

    private func back() {
        trips.value += 1
        if trips.value == count { done.signal() } else { serve() }
    }
}

private func roundTrips(_ near: any LoopScheduler, _ far: any LoopScheduler, _ who: String, _ trips: Int) -> Sample {
    let done = Finish()
    let ball = Ball(near, far, trips, done)
    return measure("round trip", who, events: trips) {
        ball.serve()
        done.wait()
    }
}
