// SPDX-License-Identifier: MIT
#if Libevent
    import CLibevent
    import ReactiveCore
    import SchedulerEngine

    /// A reference to an event of a poller.
    ///
    /// Safe: ``Registrations`` owns the event and frees it once. libevent passes the address of the registrations to
    /// the callback. The registrations outlive their events.
    @safe
    struct PollEvent {
        private let native: UnsafeMutablePointer<event>

        /// Wraps the event of a registration, whose memory does not move.
        fileprivate init(_ native: UnsafeMutablePointer<event>) { unsafe self.native = native }

        /// Creates an event on the base of `other`. Returns `nil` if libevent has no memory for the event.
        init?(
            _ descriptor: Int32,
            _ kind: Int32,
            onBaseOf other: PollEvent,
            reportingTo registrations: Registrations
        ) {
            let base = unsafe event_get_base(other.native)
            let context = unsafe Unmanaged.passUnretained(registrations).toOpaque()
            guard let made = unsafe event_new(base, descriptor, Int16(kind), eventReady, context) else { return nil }
            unsafe native = made
        }

        /// Adds the event. Returns false if libevent refuses; `errno` then has the reason.
        @discardableResult
        func add() -> Bool { unsafe event_add(native, nil) == 0 }

        func remove() { unsafe event_del(native) }

        func isPending(for kind: Int32) -> Bool { unsafe event_pending(native, Int16(kind), nil) != 0 }

        func free() { unsafe event_free(native) }
    }

    /// A reference to a registration: the event for reading, and the token.
    ///
    /// Safe: ``Registrations`` owns the memory until `deallocate()`. The event is at its beginning.
    @safe
    struct Registration {
        @safe
        private struct Content {
            private var event = unsafe CLibevent.event()
            var token: UInt64

            init(token: UInt64) { self.token = token }
        }

        private let content: UnsafeMutablePointer<Content>

        /// Creates a registration that reports nothing yet.
        init(_ base: OpaquePointer, _ descriptor: Int32, _ token: UInt64, reportingTo registrations: Registrations) {
            unsafe content = .allocate(capacity: 1)
            unsafe content.initialize(to: Content(token: token))
            let context = unsafe Unmanaged.passUnretained(registrations).toOpaque()
            // `event_assign` fails only if an event combines a process signal with descriptors.
            unsafe event_assign(native, base, descriptor, Int16(EV_READ | EV_PERSIST), eventReady, context)
        }

        /// The event for reading. The pointer is raw, because libevent stores the event's address, so the event must
        /// not move.
        private var native: UnsafeMutablePointer<event> {
            unsafe UnsafeMutableRawPointer(content).assumingMemoryBound(to: CLibevent.event.self)
        }

        var reading: PollEvent { unsafe PollEvent(native) }

        var token: UInt64 {
            get { unsafe content.pointee.token }
            nonmutating set { unsafe content.pointee.token = newValue }
        }

        func deallocate() { unsafe content.deallocate() }
    }

    // The context is the address of the registrations, which outlive their events.
    private func eventReady(_ descriptor: Int32, _ what: Int16, _ context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        let readiness: Readiness = what & Int16(EV_WRITE) != 0 ? .write : .read
        unsafe Unmanaged<Registrations>.fromOpaque(context)._withUnsafeGuaranteedRef { registrations in
            registrations.report(descriptor, readiness)
        }
    }
#endif
