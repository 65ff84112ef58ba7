// SPDX-License-Identifier: MIT
import GuestHosts
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import SchedulerLibevent
import SchedulerLibuv
import Testing

#if Libevent
    import CLibevent
#endif
#if Libuv
    import CLibuv
#endif

extension Guests {
    /// What remains in the host after its guest is disposed, and the order in which the two are disposed.
    @Suite struct Leaving {
        @Test(
            "A guest disposed by another thread leaves its host loop, whose run then ends",
            arguments: GuestKind.all
        )
        func elsewhere(_ kind: GuestKind) throws {
            for _ in 0..<20 {
                let gone = Box(0)
                try leave(kind, gone)
                #expect(gone.value == 2)
            }
        }

        private func leave(_ kind: GuestKind, _ gone: Box<Int>) throws {
            weak let guest: (any DrivenGuest)?
            do {
                let loop = try kind.make(isOwned: true)
                guest = loop.guest
                let pair = SocketPair()
                try loop.sync {
                    let canaries = (0..<2).map { _ in Canary { _ = gone.increment() } }
                    _ = try? loop.watch(pair.near, for: .read) { _ in canaries[0].sing() }
                    loop.schedule(after: .seconds(3600)) { canaries[1].sing() }
                }
                // Returns when the host's thread has ended, which is when the host loop has nothing left.
                try Guests.waitForEnd { loop.dispose() }
            }
            // libdispatch releases a block shortly after it has run.
            try waitUntil("release of the guest") { guest == nil }
        }

        #if Libuv
            @Test("libuv: a guest is one active handle, and uv_loop_close reports UV_EBUSY until its disposal")
            func libuv() throws {
                let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
                uv_loop_init(loop)
                defer { loop.deallocate() }
                let guest = try LibuvLoop(attachedTo: loop)
                let fired = Box(0)
                guest.schedule(after: .milliseconds(1)) { _ = fired.increment() }
                try waitUntil("the guest's timer") {
                    uv_run(loop, UV_RUN_NOWAIT)
                    return fired.value > 0
                }
                #expect(uv_loop_alive(loop) != 0)
                #expect(uv_loop_close(loop) == UV_EBUSY.rawValue)
                guest.dispose()
                try waitUntil("the end of the host loop") { uv_run(loop, UV_RUN_NOWAIT) == 0 }
                #expect(uv_loop_close(loop) == 0)
            }

            @Test("libuv: a host may close all handles itself, and the guest can be disposed afterwards")
            func libuvFirst() throws {
                let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
                uv_loop_init(loop)
                let guest = try LibuvLoop(attachedTo: loop)
                let ran = Box(0)
                guest.execute { _ = ran.increment() }
                uv_run(loop, UV_RUN_NOWAIT)
                uv_walk(loop, { handle, _ in uv_close(handle, nil) }, nil)
                try waitUntil("the end of the host loop") { uv_run(loop, UV_RUN_NOWAIT) == 0 }
                #expect(uv_loop_close(loop) == 0)
                loop.deallocate()
                guest.execute { _ = ran.increment() }
                guest.dispose()
                #expect(guest.isDisposed && ran.value == 1)
            }
        #endif

        #if Libevent
            @Test("libevent: a guest is one event, and none after disposal")
            func libevent() throws {
                let base = try #require(event_base_new())
                let guest = try LibeventLoop(attachedTo: UnsafeMutableRawPointer(base))
                let fired = Box(0)
                guest.schedule(after: .milliseconds(1)) { _ = fired.increment() }
                try waitUntil("the guest's timer") {
                    event_base_loop(base, EVLOOP_NONBLOCK)
                    return fired.value > 0
                }
                #expect(event_base_get_num_events(base, UInt32(EVENT_BASE_COUNT_ADDED)) == 1)
                guest.dispose()
                #expect(event_base_get_num_events(base, UInt32(EVENT_BASE_COUNT_ADDED)) == 0)
                // 1 means that there are no events.
                #expect(event_base_loop(base, EVLOOP_NONBLOCK) == 1)
                event_base_free(base)
            }

            @Test("libevent: a guest can be disposed after its host has freed the base")
            func libeventFirst() throws {
                let base = try #require(event_base_new())
                let guest = try LibeventLoop(attachedTo: UnsafeMutableRawPointer(base))
                let ran = Box(0)
                guest.execute { _ = ran.increment() }
                event_base_loop(base, EVLOOP_NONBLOCK)
                event_base_free(base)
                guest.execute { _ = ran.increment() }
                guest.dispose()
                #expect(guest.isDisposed && ran.value == 1)
            }
        #endif

        @Test("A guest whose host has not run yet is disposed when the host runs", arguments: GuestKind.all)
        func beforeTheFirstTurn(_ kind: GuestKind) throws {
            let loop = try kind.make()
            let ran = Box(0)
            loop.execute { _ = ran.increment() }
            loop.dispose()
            #expect(loop.isDisposed && ran.value == 0)
            #expect(failure { try loop.guest.run() } == .disposed)
        }
    }
}
