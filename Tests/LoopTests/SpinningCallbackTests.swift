// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

#if Libevent
    import CLibevent
#endif
#if Libuv
    import CLibuv
#endif

/// What the C callback does. Global and for one test at a time, since the C callbacks carry no context.
private let called = Box<@Sendable () -> Void>({})

extension Loops {
    @Suite struct SpinningCallbacks {
        /// The changes after which nothing keeps the loop alive.
        static let changes = Wish.allCases.filter { $0 != .setTimer }

        /// Runs the loop until it is idle. `begin` adds a C callback that runs in every poll. In the third poll, while
        /// the loop busy-polls, it makes the change.
        private func run(_ loop: any LoopScheduler, _ change: Wish, _ begin: () -> Void) throws {
            let polling = try #require(loop as? any BusyPolling)
            polling.spinLimit = .seconds(3600)
            let options = TimerOptions(keepsLoopAlive: change != .ignoreWatch)
            let timer = loop.schedule(at: loop.now + .seconds(3600), options: options) {}
            let pair = SocketPair()
            defer { pair.close() }
            let watch = try loop.watch(pair.near, for: .read) { _ in }
            if change != .ignoreWatch { watch.dispose() }
            try loop.turns(2)
            let polls = Box(0)
            let limit = 1000
            called.value = {
                switch polls.increment() {
                case 3: change.perform(loop, timer, watch)
                // The loop has missed the change, and would busy-poll for an hour.
                case limit: loop.stop()
                default: break
                }
            }
            defer { called.value = {} }
            begin()
            try loop.runUntilIdle()
            #expect(polls.value >= 3 && polls.value < limit)
        }

        #if Libuv
            @Test(
                "libuv: a C callback after which nothing keeps the loop alive ends busy-polling",
                arguments: changes
            )
            func libuv(_ change: Wish) throws {
                let loop = try LoopKind.libuv.make()
                let native = try #require(loop.nativeHandle(of: .libuv)).assumingMemoryBound(to: uv_loop_t.self)
                let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
                try run(loop, change) {
                    uv_prepare_init(native, prepare)
                    uv_prepare_start(prepare) { _ in called.value() }
                }
                // The loop closes the handle.
                loop.dispose()
                prepare.deallocate()
            }
        #endif

        #if Libevent
            @Test(
                "libevent: a C callback after which nothing keeps the loop alive ends busy-polling",
                arguments: changes
            )
            func libevent(_ change: Wish) throws {
                let loop = try LoopKind.libevent.make()
                let native = OpaquePointer(try #require(loop.nativeHandle(of: .libevent)))
                // No one reads the byte, so the event is active in every poll.
                let pair = SocketPair()
                defer { pair.close() }
                Descriptor.put("x", to: pair.far)
                let interest = Int16(EV_READ | EV_PERSIST)
                let input = event_new(native, pair.near, interest, { _, _, _ in called.value() }, nil)
                try run(loop, change) { event_add(input, nil) }
                event_free(input)
                loop.dispose()
            }
        #endif
    }
}

/// The busy-polling setting of a loop on any poller.
private protocol BusyPolling: AnyObject, Sendable {
    var spinLimit: Duration { get set }
}

extension PollerLoop: BusyPolling where Back: ~Copyable {}
