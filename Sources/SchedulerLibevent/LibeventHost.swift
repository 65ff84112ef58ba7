// SPDX-License-Identifier: MIT
#if Libevent
    import CLibevent
    import Glibc
    import ReactiveCore
    import SchedulerEngine

    /// Runs a loop as a guest of an `event_base`: the host runs the guest's turns. One event watches the guest's epoll
    /// set.
    ///
    /// This object owns the event and its memory, so the event can be read after its base has been freed. Safe: the
    /// event retains this object until `detach`.
    ///
    /// Why `@unchecked Sendable` is right: `nativeHandle` is constant. The engine calls `attach` before other code can
    /// use the guest, and `detach` on the host's thread. libevent runs its callbacks on that thread too.
    @safe
    final class LibeventHost: LoopHost, @unchecked Sendable {
        private let base: OpaquePointer
        private var adoption: Adoption?
        private var made: UnsafeMutablePointer<event>?
        private var turn: (@Sendable () -> Void)?

        init(_ native: UnsafeMutableRawPointer?) throws(LoopError) {
            adoption = try unsafe Adoption(of: native, "event_base")
            // Not nil: `Adoption` throws for nil.
            unsafe base = OpaquePointer(native!)
        }

        var nativeHandle: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(base) }

        func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
            let event = UnsafeMutablePointer<event>.allocate(capacity: 1)
            // The event retains this object until `detach`.
            let context = unsafe Unmanaged.passRetained(self)
            let kind = Int16(EV_READ | EV_PERSIST)
            let code = unsafe event_assign(
                event,
                base,
                descriptor,
                kind,
                { _, _, context in unsafe ready(context) },
                context.toOpaque()
            )
            if unsafe code != 0 || event_add(event, nil) != 0 {
                let code = errno
                unsafe context.release()
                unsafe event.deallocate()
                throw LoopError.system("cannot attach a guest: event_add", code)
            }
            self.turn = turn
            unsafe made = event
        }

        func detach() {
            guard let event = unsafe made else { return }
            unsafe made = nil
            turn = nil
            adoption = nil
            // An event that is not inserted belongs to a base that the host has freed. Freeing a base deletes its
            // events.
            if unsafe Int32(event.pointee.ev_evcallback.evcb_flags) & EVLIST_INSERTED != 0 { unsafe event_del(event) }
            unsafe event.deallocate()
            unsafe Unmanaged.passUnretained(self).release()
        }

        fileprivate func takeTurn() { turn?() }
    }

    private func ready(_ context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<LibeventHost>.fromOpaque(context).takeUnretainedValue().takeTurn()
    }
#endif
