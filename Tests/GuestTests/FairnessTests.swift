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

/// What the host has done and what the guest has: both are flooded, and each notes how much of the other's came between.
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
    /// How many pieces of the guest's work came between two of the host's callbacks, at most.
    var mostBetweenTicks: Int { state.value.mostBetweenTicks }
    /// How many of the host's callbacks came between two pieces of the guest's work, at most.
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
    /// 10 000 events on each side: neither keeps the other from its own.
    @Suite struct Fairness {
        /// Work that always gives itself again, five chains of it, and a timer that is always due.
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
            // A turn is what was there when it began: five pieces; and one turn each time that the host goes round.
            #expect(flood.mostBetweenTicks <= 5)
            #expect(flood.mostBetweenPieces <= 2)
        }

        #if Libuv
            @Test("libuv: a handle that is called each time round, and a guest that always has work")
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
                while !flood.isOver { uv_run(loop, UV_RUN_ONCE) }
                guest.dispose()
                idle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { idle in uv_close(idle, nil) }
                #expect(uv_run(loop, UV_RUN_DEFAULT) == 0)
                #expect(uv_loop_close(loop) == 0)
                check(flood)
            }
        #endif

        #if Libevent
            @Test("libevent: an event that is always ready, and a guest that always has work")
            func libevent() throws {
                let base = try #require(event_base_new())
                let flood = Flood()
                let pair = SocketPair()
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
                while !flood.isOver { event_base_loop(base, EVLOOP_ONCE) }
                guest.dispose()
                event_free(ready)
                #expect(event_base_dispatch(base) == 1)
                event_base_free(base)
                check(flood)
            }
        #endif

        @Test("A queue: a block that always queues itself again, and a guest that always has work")
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
            // libdispatch asks for a source again by way of its own thread: blocks of the queue come between, a bounded number of
            // the guest's pieces do.
            #expect(flood.isOver && flood.mostBetweenTicks <= 5)
        }

        @Test("A queue that is the main one, and one that is concurrent, are hosts like any other")
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
