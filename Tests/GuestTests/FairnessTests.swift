// SPDX-License-Identifier: MIT
import Dispatch
import GuestHosts
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerDispatch
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

/// Counts the callbacks of a flooded host and the jobs of its flooded guest. For each, records how many of the other
/// came in between.
final class Flood: Sendable {
    static let length = 10_000

    private struct State {
        var host = 0
        var guest = 0
        var hostAtLastTick = 0
        var guestAtLastTick = 0
        var mostBetweenTicks = 0
        var mostBetweenPieces = 0
    }

    private let state = Box(State())

    var isOver: Bool { state.value.host >= Self.length && state.value.guest >= Self.length }
    /// The maximum number of guest jobs between two callbacks of the host.
    var mostBetweenTicks: Int { state.value.mostBetweenTicks }
    /// The maximum number of host callbacks between two jobs of the guest.
    var mostBetweenPieces: Int { state.value.mostBetweenPieces }

    func hostTick() {
        state.update { state in
            state.host += 1
            state.mostBetweenTicks = max(state.mostBetweenTicks, state.guest - state.guestAtLastTick)
            state.guestAtLastTick = state.guest
        }
    }

    func guestPiece() {
        state.update { state in
            if state.guest > 0 {
                state.mostBetweenPieces = max(state.mostBetweenPieces, state.host - state.hostAtLastTick)
            }
            state.guest += 1
            state.hostAtLastTick = state.host
        }
    }
}

extension Guests {
    /// 10 000 events on each side: neither side starves the other.
    @Suite struct Fairness {
        /// Five chains of jobs that always enqueue themselves again, and a timer that is always due.
        private func flood(_ guest: any LoopScheduler, _ flood: Flood) {
            @Sendable func piece() {
                if flood.isOver { return }
                flood.guestPiece()
                guest.execute { piece() }
            }
            for _ in 0..<5 { guest.execute { piece() } }
            @Sendable func tick() { if !flood.isOver { guest.schedule(after: .zero) { tick() } } }
            tick()
        }

        private func check(_ flood: Flood) {
            #expect(flood.isOver)
            // A turn runs the five jobs that were queued when it began, and there is one turn in each iteration of
            // the host loop.
            #expect(flood.mostBetweenTicks <= 5)
            #expect(flood.mostBetweenPieces <= 2)
        }

        #if Libuv
            @Test("libuv: an idle handle and a guest that always has work do not starve each other")
            func libuv() throws {
                let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
                let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
                uv_loop_init(loop)
                uv_idle_init(loop, idle)
                defer {
                    idle.deallocate()
                    loop.deallocate()
                }
                let flood = Flood()
                idle.pointee.data = Unmanaged.passUnretained(flood).toOpaque()
                uv_idle_start(idle) { idle in
                    guard let idle, let data = idle.pointee.data else { return }
                    let flood = Unmanaged<Flood>.fromOpaque(data).takeUnretainedValue()
                    flood.hostTick()
                    if flood.isOver { uv_idle_stop(idle) }
                }
                let guest = try LibuvLoop(attachedTo: loop)
                self.flood(guest, flood)
                try waitUntil("the end of both floods") {
                    uv_run(loop, UV_RUN_NOWAIT)
                    return flood.isOver
                }
                guest.dispose()
                idle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { idle in uv_close(idle, nil) }
                try waitUntil("the end of the host loop") { uv_run(loop, UV_RUN_NOWAIT) == 0 }
                #expect(uv_loop_close(loop) == 0)
                check(flood)
            }
        #endif

        #if Libevent
            @Test("libevent: an event that is always ready and a guest that always has work do not starve each other")
            func libevent() throws {
                let base = try #require(event_base_new())
                let flood = Flood()
                let pair = SocketPair()
                defer { pair.close() }
                Descriptor.put("x", to: pair.far)
                let context = Unmanaged.passUnretained(flood).toOpaque()
                let kind = Int16(EV_READ | EV_PERSIST)
                let ready = event_new(
                    base,
                    pair.near,
                    kind,
                    { _, _, context in
                        guard let context else { return }
                        Unmanaged<Flood>.fromOpaque(context).takeUnretainedValue().hostTick()
                    },
                    context
                )
                event_add(ready, nil)
                let guest = try LibeventLoop(attachedTo: UnsafeMutableRawPointer(base))
                self.flood(guest, flood)
                try waitUntil("the end of both floods") {
                    // Without `EVLOOP_ONCE`, `event_base_loop` would return only when no event is ready.
                    event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK)
                    return flood.isOver
                }
                guest.dispose()
                event_free(ready)
                // 1 means that there are no events.
                #expect(event_base_loop(base, EVLOOP_NONBLOCK) == 1)
                event_base_free(base)
                check(flood)
            }
        #endif

        @Test("A queue: a block that always enqueues itself again does not starve a guest that always has work")
        func queue() throws {
            let queue = DispatchQueue(label: "host")
            let guest = try DispatchLoop(attachedTo: queue)
            let flood = Flood()
            @Sendable func block() {
                flood.hostTick()
                if !flood.isOver { queue.async { block() } }
            }
            let over = Latch()
            queue.async { block() }
            self.flood(guest, flood)
            @Sendable func look() {
                if flood.isOver { over.arrive() } else { guest.schedule(after: .milliseconds(1)) { look() } }
            }
            look()
            try over.wait("both floods are over")
            guest.dispose()
            // libdispatch re-arms a source on its own thread. Any number of the queue's blocks may run in between,
            // but only a bounded number of guest jobs.
            #expect(flood.isOver && flood.mostBetweenTicks <= 5)
        }

        @Test("The main queue and a concurrent queue can be hosts")
        func queues() throws {
            let guest = try DispatchLoop(attachedTo: DispatchQueue(label: "several", attributes: .concurrent))
            let count = Box(0)
            let done = Latch()
            for _ in 0..<1000 { guest.execute { if count.increment() == 1000 { done.arrive() } } }
            try done.wait("1000 pieces of work on a concurrent queue")
            guest.dispose()
            #expect(guest.isDisposed)
        }
    }
}
