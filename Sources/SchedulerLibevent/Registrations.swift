// SPDX-License-Identifier: MIT
#if Libevent
    import CLibevent
    import Glibc
    import ReactiveCore
    import SchedulerEngine

    /// The events of a poller by descriptor, and the buffer for their reports.
    ///
    /// This object owns the events. From `event_add` until `event_del`, libevent stores their addresses and the address
    /// of this object. The poller removes all events before it frees its base.
    ///
    /// Each descriptor has one registration, which contains the event for reading and adds only eight bytes to it.
    @safe
    final class Registrations {
        let buffer = ReadyBuffer()
        // Safe: the first `count` elements are initialized, and no others are used.
        private var memory = UnsafeMutablePointer<Registration?>.allocate(capacity: 0)
        private var count = 0
        /// The events for writing, by descriptor. An event is created when it is first needed: when a send buffer is
        /// full.
        private var writing: [Int32: PollEvent] = [:]

        deinit { unsafe memory.deallocate() }

        /// Creates a registration that reports nothing yet.
        func add(_ descriptor: Int32, _ token: UInt64, _ base: OpaquePointer) {
            if Int(descriptor) >= count { grow(to: Int(descriptor) + 1) }
            unsafe memory[Int(descriptor)] = Registration(base, descriptor, token, reportingTo: self)
        }

        func setToken(_ token: UInt64, of descriptor: Int32) {
            registration(descriptor)?.token = token
        }

        /// Changes the reported readiness to `interest`. If libevent refuses, the events are unchanged.
        func set(_ descriptor: Int32, _ interest: Readiness) throws(LoopError) {
            guard let reading = registration(descriptor)?.reading else { return }
            // Add before removing, because only adding can fail.
            let addsReading = interest.contains(.read) && !reading.isPending(for: EV_READ)
            if addsReading, !reading.add() { throw LoopError.watching(descriptor, errno) }
            if interest.contains(.write), !addWriting(descriptor, reading) {
                let error = LoopError.watching(descriptor, errno)
                if addsReading { reading.remove() }
                throw error
            }
            if !interest.contains(.read) { reading.remove() }
            if !interest.contains(.write) { writing[descriptor]?.remove() }
        }

        /// The readiness that is reported.
        func interest(of descriptor: Int32) -> Readiness {
            var interest: Readiness = []
            if registration(descriptor)?.reading.isPending(for: EV_READ) == true { interest.insert(.read) }
            if writing[descriptor]?.isPending(for: EV_WRITE) == true { interest.insert(.write) }
            return interest
        }

        /// Passes the descriptor to the kernel again, because its number may have been closed and reused.
        ///
        /// libevent does that only if the kinds of events change, and then adds a descriptor that the kernel has dropped. So
        /// an event of a third kind is added and removed. Nothing is removed before, because adding may fail.
        func renew(_ descriptor: Int32) throws(LoopError) {
            guard let reading = registration(descriptor)?.reading, !interest(of: descriptor).isEmpty else { return }
            // Checked first, because libevent prints to standard error for a bad descriptor.
            let refusal = Pollable.check(descriptor)
            if refusal != 0 { throw LoopError.watching(descriptor, refusal) }
            let kind = EV_CLOSED | EV_PERSIST
            let third = PollEvent(descriptor, kind, onBaseOf: reading, reportingTo: self)
            defer { third?.free() }
            if third?.add() != true { throw LoopError.watching(descriptor, errno) }
        }

        /// Adds the event for writing, and creates it at first use. Returns false if libevent refuses; `errno` is then
        /// the reason.
        private func addWriting(_ descriptor: Int32, _ reading: PollEvent) -> Bool {
            if let event = writing[descriptor] { return event.add() }
            let kind = EV_WRITE | EV_PERSIST
            guard let made = PollEvent(descriptor, kind, onBaseOf: reading, reportingTo: self) else { return false }
            writing[descriptor] = made
            return made.add()
        }

        func remove(_ descriptor: Int32) {
            guard let registration = registration(descriptor) else { return }
            let reading = registration.reading
            if let writing = writing.removeValue(forKey: descriptor) {
                // If the descriptor has been closed, libevent prints a line to standard error when the first of two
                // events is removed. A third event, for both kinds, makes the removal a single change for the kernel.
                let hasBoth = reading.isPending(for: EV_READ) && writing.isPending(for: EV_WRITE)
                let kind = EV_READ | EV_WRITE | EV_PERSIST
                let both = hasBoth ? PollEvent(descriptor, kind, onBaseOf: reading, reportingTo: self) : nil
                both?.add()
                reading.remove()
                writing.free()
                both?.free()
            } else {
                reading.remove()
            }
            registration.deallocate()
            unsafe memory[Int(descriptor)] = nil
        }

        func removeAll() {
            for descriptor in 0..<Int32(count) { remove(descriptor) }
        }

        func report(_ descriptor: Int32, _ readiness: Readiness) {
            guard let registration = registration(descriptor) else { return }
            buffer.append(registration.token, readiness)
        }

        private func registration(_ descriptor: Int32) -> Registration? {
            unsafe Int(descriptor) < count ? memory[Int(descriptor)] : nil
        }

        private func grow(to needed: Int) {
            let capacity = max(64, needed, count * 2)
            let larger = UnsafeMutablePointer<Registration?>.allocate(capacity: capacity)
            unsafe larger.moveInitialize(from: memory, count: count)
            unsafe (larger + count).initialize(repeating: nil, count: capacity - count)
            unsafe memory.deallocate()
            unsafe memory = larger
            count = capacity
        }
    }
#endif
