// SPDX-License-Identifier: MIT
#if Libevent
    import CLibevent
    import Glibc
    public import ReactiveCore
    import SchedulerEngine

    /// A poller that waits in `event_base_loop`. Each descriptor has a persistent event for reading and, if needed, one
    /// for writing.
    ///
    /// The poller owns the `event_base` and the events, and frees the events first. The base has no locks, because only
    /// one thread at a time uses it and a descriptor wakes it. The base does not cache the time. libevent's own timers
    /// are early or late by milliseconds, so deadlines use a timerfd, which libevent polls like every other descriptor.
    ///
    /// Safe: `init` creates the base, and `deinit` frees it after the last event.
    @safe
    public struct LibeventPoller: Poller, ~Copyable {
        private let base: OpaquePointer
        private let registrations = Registrations()
        private var timer: TimerDescriptor
        private var isTimerWatched = false

        /// Creates an empty set on a new `event_base`. Traps if the program was compiled with the headers of another
        /// libevent, whose events are smaller than those of the loaded one.
        ///
        /// - Throws: `systemCall` if the system has no descriptor or memory left.
        public init() throws(LoopError) {
            // libevent ends the process if it cannot open a pipe for signals for a base.
            try SpareDescriptors.check("an event_base")
            guard let config = unsafe event_config_new() else { throw LoopError.system("event_config_new", ENOMEM) }
            // The environment must not choose a method of polling that registers descriptors late.
            let flags =
                EVENT_BASE_FLAG_NOLOCK.rawValue | EVENT_BASE_FLAG_NO_CACHE_TIME.rawValue
                | EVENT_BASE_FLAG_IGNORE_ENV.rawValue
            unsafe event_config_set_flag(config, Int32(flags))
            let made = unsafe event_base_new_with_config(config)
            unsafe event_config_free(config)
            guard let made = unsafe made else { throw LoopError.system("event_base_new", errno) }
            do {
                timer = try TimerDescriptor()
            } catch {
                unsafe event_base_free(made)
                throw error
            }
            unsafe base = made
            guard unsafe event_get_struct_event_size() <= MemoryLayout<event>.size else {
                fatalError(
                    "the program was compiled for another libevent: compile it with the headers of the libevent that it loads"
                )
            }
        }

        deinit {
            registrations.removeAll()
            unsafe event_base_free(base)
        }

        /// The `event_base *`. C code may add events on the loop's thread, and must delete them before the loop is
        /// disposed.
        public var nativeHandle: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(base) }

        /// Adds a descriptor to the set. A descriptor with an empty interest is never reported (rule N23).
        ///
        /// - Throws: `badDescriptor` if it is not open (`EBADF`) or the system cannot wait for its kind (`EPERM`);
        ///   `systemCall` otherwise.
        public mutating func register(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            // Checked first, because libevent prints to standard error for a bad descriptor.
            let refusal = Pollable.check(descriptor)
            if refusal != 0 { throw LoopError.watching(descriptor, refusal) }
            unsafe registrations.add(descriptor, token, base)
            do {
                // Even with an empty interest the event is added first, so that the kernel reports a bad descriptor
                // now.
                try registrations.set(descriptor, interest.isEmpty ? .read : interest)
                if interest.isEmpty { try registrations.set(descriptor, []) }
            } catch {
                registrations.remove(descriptor)
                throw error
            }
        }

        /// Changes the interest and the token of a registered descriptor.
        ///
        /// - Throws: The errors of ``register(_:_:token:)``. After an error, the interest and the token are unchanged.
        public mutating func modify(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            if interest == registrations.interest(of: descriptor) {
                try registrations.renew(descriptor)
            } else {
                try registrations.set(descriptor, interest)
            }
            registrations.setToken(token, of: descriptor)
        }

        /// Removes a descriptor from the set. The descriptor may already be closed.
        public mutating func deregister(_ descriptor: Int32) {
            registrations.remove(descriptor)
        }

        /// Waits until a descriptor is ready or the deadline is reached, then reports a batch of events.
        ///
        /// - Throws: `systemCall` if `event_base_loop` fails; the errors of ``register(_:_:token:)``, if the timerfd of
        ///   the first deadline cannot be polled.
        public mutating func wait(
            until deadline: PollDeadline,
            _ ready: (_ token: UInt64, Readiness) -> Void
        ) throws(LoopError) {
            var flags = EVLOOP_ONCE
            switch deadline {
            case .now: flags |= EVLOOP_NONBLOCK
            case .never: timer.disarm()
            case .at(let instant):
                if !isTimerWatched { try watchTimer() }
                timer.arm(instant)
            }
            if unsafe event_base_loop(base, flags) < 0 { throw LoopError.system("event_base_loop", errno) }
            registrations.buffer.drain(ready)
        }

        private mutating func watchTimer() throws(LoopError) {
            try register(timer.descriptor, .read, token: TimerDescriptor.pollToken)
            isTimerWatched = true
        }
    }
#endif
