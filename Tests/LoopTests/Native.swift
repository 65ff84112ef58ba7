// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import Testing

#if Libevent
    import CLibevent
#endif
#if Libuv
    import CLibuv
#endif

/// The calls that C code on the library's own loop has made. Global and for one test at a time, since the C callbacks
/// carry no context.
private let called = Box<[String]>([])
private let owner = Box<(any LoopScheduler)?>(nil)
private let watched = Box<(any DescriptorWatch)?>(nil)

private let wished = Box<@Sendable () -> Void>({})

/// A change that a C callback makes on the loop.
enum Wish: CaseIterable {
    case setTimer, cancelTimer, ignoreTimer, ignoreWatch

    func perform(_ loop: any LoopScheduler, _ far: any Disposable, _ watch: any DescriptorWatch) {
        switch self {
        case .setTimer: loop.schedule(after: .milliseconds(1)) { far.dispose() }
        case .cancelTimer: far.dispose()
        case .ignoreTimer: (far as? any LoopHandle)?.keepsLoopAlive = false
        case .ignoreWatch: watch.keepsLoopAlive = false
        }
    }
}

private func add(_ what: String) { called.update { called in called.append(what) } }

private func saw(_ what: String) {
    guard let loop = owner.value else { return }
    add(loop.isCurrent ? what : "\(what) elsewhere")
    loop.execute { add("work") }
    // A disposal is legal here if it is deferred until the poller has returned.
    watched.value?.dispose()
    let refused = failure { _ = try loop.watch(0, for: .read) { _ in } }
    if refused != .wrongThread { add("not refused") }
    if called.value.contains("timer"), called.value.contains("socket") { loop.execute { loop.stop() } }
}

extension Loops {
    @Suite struct Native {
        private func serve(_ loop: any LoopScheduler, _ pair: SocketPair, _ begin: () -> Void) throws {
            owner.value = loop
            called.value = []
            let other = SocketPair()
            defer { other.close() }
            watched.value = try loop.watch(other.near, for: .read) { _ in }
            begin()
            Descriptor.put("x", to: pair.far)
            try TestThread { try loop.run() }.join("the library's timer and socket")
            #expect(Set(called.value).isSuperset(of: ["timer", "socket", "work"]))
            #expect(Set(called.value).count == 3)
            #expect(watched.value?.isDisposed == true)
            owner.value = nil
            watched.value = nil
        }

        #if Libuv
            @Test("One run serves a C library's timer and socket on the uv_loop_t")
            func libuv() throws {
                let loop = try LoopKind.libuv.make()
                let native = try #require(loop.nativeHandle(of: .libuv)).assumingMemoryBound(to: uv_loop_t.self)
                let pair = SocketPair()
                defer { pair.close() }
                let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
                let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
                try serve(loop, pair) {
                    uv_timer_init(native, timer)
                    uv_timer_start(timer, { _ in saw("timer") }, 2, 0)
                    uv_poll_init(native, poll, pair.near)
                    uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, _, _ in
                        uv_poll_stop(poll)
                        saw("socket")
                    }
                }
                // The handles stay on the loop, as a careless library would leave them. The loop closes them.
                loop.dispose()
                timer.deallocate()
                poll.deallocate()
            }
        #endif

        #if Libuv
            @Test("X3: a change made by a C callback before the wait ends the wait", arguments: Wish.allCases)
            func beforeTheWait(_ wish: Wish) throws {
                let loop = try LoopKind.libuv.make()
                let native = try #require(loop.nativeHandle(of: .libuv)).assumingMemoryBound(to: uv_loop_t.self)
                // Far enough in the future to tell the end of the wait from a slow machine.
                let options = TimerOptions(keepsLoopAlive: wish != .ignoreWatch)
                let far = loop.schedule(at: loop.now + .seconds(60), options: options) {}
                let pair = SocketPair()
                defer { pair.close() }
                let watch = try loop.watch(pair.near, for: .read) { _ in }
                if wish != .ignoreWatch { watch.dispose() }
                // libuv does not wait while a handle is being closed.
                try loop.turns(2)
                let begin = loop.now
                owner.value = loop
                wished.value = { wish.perform(loop, far, watch) }
                let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
                uv_prepare_init(native, prepare)
                // The callback runs once, in the first wait: without work to run, the turn reaches the wait at once.
                uv_prepare_start(prepare) { prepare in
                    uv_prepare_stop(prepare)
                    wished.value()
                }
                try loop.runUntilIdle()
                #expect(loop.now - begin < .seconds(30))
                loop.dispose()
                prepare.deallocate()
                owner.value = nil
                wished.value = {}
            }
        #endif

        #if Libevent
            @Test("libevent polls with epoll, whatever the environment says")
            func environment() async {
                // In a process of its own, because the environment belongs to the process.
                await #expect(processExitsWith: .success) {
                    setenv("EVENT_NOEPOLL", "1", 1)
                    let loop = try LoopKind.libevent.make()
                    let native = try #require(loop.nativeHandle(of: .libevent))
                    let method = String(cString: event_base_get_method(OpaquePointer(native)))
                    #expect(method == "epoll")
                    loop.dispose()
                }
            }

            @Test("One run serves a C library's timer and socket on the event_base")
            func libevent() throws {
                let loop = try LoopKind.libevent.make()
                let native = OpaquePointer(try #require(loop.nativeHandle(of: .libevent)))
                let pair = SocketPair()
                defer { pair.close() }
                let timer = event_new(native, -1, 0, { _, _, _ in saw("timer") }, nil)
                let socket = event_new(native, pair.near, Int16(EV_READ), { _, _, _ in saw("socket") }, nil)
                try serve(loop, pair) {
                    var delay = timeval(tv_sec: 0, tv_usec: 2000)
                    event_add(timer, &delay)
                    event_add(socket, nil)
                }
                event_free(timer)
                event_free(socket)
                loop.dispose()
            }
        #endif
    }
}
