// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Spinning {
        private func loop(_ kind: LoopKind, _ thread: LoopThread) throws -> any LoopScheduler {
            let loop = try kind.make(thread: thread)
            let looking = try #require(loop as? any Looking)
            #expect(looking.spinLimit == .zero)
            looking.spinLimit = .seconds(-1)
            #expect(looking.spinLimit == .zero)
            looking.spinLimit = .milliseconds(2)
            return loop
        }

        @Test(
            "A loop that busy-polls receives work from other threads, and may be disposed by one",
            arguments: LoopKind.all
        )
        func work(_ kind: LoopKind) throws {
            let near = try loop(kind, .owned)
            let far = try loop(kind, .owned)
            let done = Latch()
            let trips = Box(0)
            let ball = Ball(near, far) { back in
                trips.value += 1
                if trips.value == 200 { done.arrive() } else { back() }
            }
            ball.serve()
            try done.wait()
            near.dispose()
            far.dispose()
            #expect(trips.value == 200)
        }

        @Test("After busy-polling the loop blocks, and work wakes it", arguments: LoopKind.all)
        func sleep(_ kind: LoopKind) throws {
            let loop = try loop(kind, .owned)
            (loop as? any Looking)?.spinLimit = .microseconds(1)
            for _ in 0..<100 {
                Platform.pause(.microseconds(100))
                try loop.sync()
            }
            loop.dispose()
        }

        @Test(
            "After a timer has expired, a loop that busy-polls still blocks until the next one",
            arguments: LoopKind.all
        )
        func blockingAfterATimer(_ kind: LoopKind) throws {
            let loop = try loop(kind, .caller)
            defer { loop.dispose() }
            let turns = Recorder<UInt64>()
            // Later than the limit of busy-polling, so the loop waits with its timerfd.
            loop.schedule(after: .milliseconds(20)) { turns.append(loop.turn) }
            loop.schedule(after: .milliseconds(300)) { turns.append(loop.turn) }
            try loop.runUntilIdle()
            // If the expired timerfd ended each busy-polling, there would be thousands of turns between the two.
            #expect(turns.count == 2 && turns.values[1] - turns.values[0] < 100)
        }

        @Test("While busy-polling, timers are not early and a watch is called once a turn", arguments: LoopKind.all)
        func order(_ kind: LoopKind) throws {
            let loop = try loop(kind, .caller)
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            let log = Recorder<String>()
            let turns = Recorder<UInt64>()
            // No one reads the data, so the watch is called in every turn until it is disposed in the third.
            let watch = Box<(any DescriptorWatch)?>(nil)
            watch.value = try loop.watch(ends[0], for: .read) { _ in
                turns.append(loop.turn)
                if turns.count == 3 { watch.value?.dispose() }
            }
            let due = loop.now + .milliseconds(5)
            let writing = ends[1]
            loop.schedule(after: .milliseconds(2)) { log.append(write(writing, "x", 1) == 1 ? "written" : "refused") }
            loop.schedule(after: .milliseconds(5)) { log.append(loop.now >= due ? "due" : "early") }
            try loop.runUntilIdle()
            #expect(log.values == ["written", "due"])
            #expect(turns.count == 3 && Set(turns.values).count == 3)
            watch.value = nil
            loop.dispose()
        }
    }
}

/// Travels back and forth between two loops.
private final class Ball: Sendable {
    private let near: any LoopScheduler
    private let far: any LoopScheduler
    private let arrived: @Sendable (_ again: () -> Void) -> Void

    init(
        _ near: any LoopScheduler,
        _ far: any LoopScheduler,
        _ arrived: @escaping @Sendable (_ again: () -> Void) -> Void
    ) {
        self.near = near
        self.far = far
        self.arrived = arrived
    }

    func serve() {
        near.execute { [self] in
            far.execute { [self] in
                arrived { serve() }
            }
        }
    }
}

/// The busy-polling setting of a loop on any poller.
private protocol Looking: AnyObject, Sendable {
    var spinLimit: Duration { get set }
}

extension PollerLoop: Looking where Back: ~Copyable {}
