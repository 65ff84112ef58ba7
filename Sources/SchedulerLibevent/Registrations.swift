#if Libevent
    import CLibevent
    import Glibc
    import ReactiveCore
    import SchedulerEngine

    /// A poller's events by descriptor, and what they have reported.
    ///
    /// Owned here: the events. libevent has their addresses from `event_add` until `event_del`, and the address of this for as long;
    /// the poller that has this removes them all before its base goes.
    ///
    /// There is one registration for each connection: the event for reading is inside of it, and what it needs beside is eight bytes.
    final class Registrations {
        private struct Registration {
            private var event = CLibevent.event()
            var token: UInt64

            init(token: UInt64) { self.token = token }

            /// The event for reading. It stays where it is, which only memory says that nobody borrows.
            static func reading(_ registration: UnsafeMutablePointer<Registration>) -> UnsafeMutablePointer<event> {
                UnsafeMutableRawPointer(registration).assumingMemoryBound(to: CLibevent.event.self)
            }
        }

        let buffer = ReadyBuffer()
        private var memory = UnsafeMutablePointer<UnsafeMutablePointer<Registration>?>.allocate(capacity: 0)
        private var count = 0
        /// Events for writing, by descriptor: made when first wanted, which is when the system takes no more.
        private var writing: [Int32: UnsafeMutablePointer<event>] = [:]

        deinit { memory.deallocate() }

        /// Makes a registration that reports nothing yet.
        func add(_ descriptor: Int32, _ token: UInt64, _ base: OpaquePointer) {
            let made = UnsafeMutablePointer<Registration>.allocate(capacity: 1)
            made.initialize(to: Registration(token: token))
            // It fails for an event of a process signal that is to report descriptors too, and this is none.
            let context = Unmanaged.passUnretained(self).toOpaque()
            event_assign(Registration.reading(made), base, descriptor, Int16(EV_READ | EV_PERSIST), eventReady, context)
            if Int(descriptor) >= count { grow(to: Int(descriptor) + 1) }
            memory[Int(descriptor)] = made
        }

        func setToken(_ token: UInt64, of descriptor: Int32) {
            registration(descriptor)?.pointee.token = token
        }

        /// Reports that from now on.
        func set(_ descriptor: Int32, _ interest: Readiness) throws(LoopError) {
            guard let registration = registration(descriptor) else { return }
            try set(Registration.reading(registration), descriptor, isOn: interest.contains(.read))
            if let event = writing[descriptor] {
                try set(event, descriptor, isOn: interest.contains(.write))
            } else if interest.contains(.write) {
                let base = event_get_base(Registration.reading(registration))
                let context = Unmanaged.passUnretained(self).toOpaque()
                guard let made = event_new(base, descriptor, Int16(EV_WRITE | EV_PERSIST), eventReady, context) else {
                    throw LoopError.watching(descriptor, errno)
                }
                writing[descriptor] = made
                try set(made, descriptor, isOn: true)
            }
        }

        func remove(_ descriptor: Int32) {
            guard let registration = registration(descriptor) else { return }
            let reading = Registration.reading(registration)
            if let writing = writing.removeValue(forKey: descriptor) {
                // An event for both makes the removal of the two one change. The descriptor may be closed already: libevent
                // would report the first of two changes on standard error.
                let context = Unmanaged.passUnretained(self).toOpaque()
                let kind = Int16(EV_READ | EV_WRITE | EV_PERSIST)
                let hasBoth =
                    event_pending(reading, Int16(EV_READ), nil) != 0
                    && event_pending(writing, Int16(EV_WRITE), nil) != 0
                let base = event_get_base(reading)
                let both = hasBoth ? event_new(base, descriptor, kind, eventReady, context) : nil
                if let both { event_add(both, nil) }
                event_del(reading)
                event_free(writing)
                if let both { event_free(both) }
            } else {
                event_del(reading)
            }
            registration.deallocate()
            memory[Int(descriptor)] = nil
        }

        func removeAll() {
            for descriptor in 0..<Int32(count) { remove(descriptor) }
        }

        fileprivate func report(_ descriptor: Int32, _ readiness: Readiness) {
            guard let registration = registration(descriptor) else { return }
            buffer.append(registration.pointee.token, readiness)
        }

        private func registration(_ descriptor: Int32) -> UnsafeMutablePointer<Registration>? {
            Int(descriptor) < count ? memory[Int(descriptor)] : nil
        }

        private func set(_ event: UnsafeMutablePointer<event>, _ descriptor: Int32, isOn: Bool) throws(LoopError) {
            if !isOn {
                event_del(event)
            } else if event_add(event, nil) != 0 {
                throw LoopError.watching(descriptor, errno)
            }
        }

        private func grow(to needed: Int) {
            let capacity = max(64, needed, count * 2)
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<Registration>?>.allocate(capacity: capacity)
            larger.moveInitialize(from: memory, count: count)
            (larger + count).initialize(repeating: nil, count: capacity - count)
            memory.deallocate()
            memory = larger
            count = capacity
        }
    }

    private func eventReady(_ descriptor: Int32, _ what: Int16, _ context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        let readiness: Readiness = what & Int16(EV_WRITE) != 0 ? .write : .read
        Unmanaged<Registrations>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.report(descriptor, readiness) }
    }
#endif
