// SPDX-License-Identifier: MIT
import Measure
import NIOCore
import NIOPosix

/// Hops from another thread to an event loop, and between two event loops.
func measureHops(_ arguments: Arguments) throws {
    let count = arguments.number("count", default: 1_000_000)
    let trips = arguments.number("trips", default: 100_000)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let (near, far) = (group.next(), group.next())
    if arguments.wants("execute") { flood(near, count).report() }
    if arguments.wants("round trip") { roundTrips(near, far, trips).report() }
    if arguments.wants("actor") { actorCalls(near, far, trips).report() }
    finish()
}

private func flood(_ loop: any EventLoop, _ count: Int) -> Sample {
    let flood = Flood(count)
    return measure("execute", "nio", events: count) {
        for _ in 0..<count { loop.execute { flood.step() } }
        flood.wait()
    }
}

/// Travels back and forth between two loops.
private final class Ball: Sendable {
    private let near: any EventLoop
    private let far: any EventLoop
    private let trips = Counter()
    private let count: Int
    private let done: Finish

    init(_ near: any EventLoop, _ far: any EventLoop, _ count: Int, _ done: Finish) {
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

private func roundTrips(_ near: any EventLoop, _ far: any EventLoop, _ trips: Int) -> Sample {
    let done = Finish()
    let ball = Ball(near, far, trips, done)
    return measure("round trip", "nio", events: trips) {
        ball.serve()
        done.wait()
    }
}

/// An actor whose executor is an event loop.
private actor Resident {
    private let loop: any EventLoop
    private var calls = 0

    init(_ loop: any EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    @inline(never)
    func answer() {
        precondition(loop.inEventLoop, "not on its loop")
        calls &+= 1
    }

    func call(_ other: Resident, times: Int) async {
        for _ in 0..<times {
            await other.answer()
            // Each call is followed by work on this actor. Without it the compiler would not return to this loop.
            answer()
        }
    }
}

private func actorCalls(_ near: any EventLoop, _ far: any EventLoop, _ count: Int) -> Sample {
    let (caller, callee, done) = (Resident(near), Resident(far), Finish())
    return measure("actor", "nio", events: count) {
        Task.detached {
            await caller.call(callee, times: count)
            done.signal()
        }
        done.wait()
    }
}
