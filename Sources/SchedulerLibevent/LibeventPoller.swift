#if Libevent
    import CLibevent
    import Glibc
    public import ReactiveCore
    import SchedulerEngine

    /// Waits in `event_base_loop`, with a persistent event for reading and one for writing for each descriptor.
    ///
    /// Owned here: the `event_base` and the events, freed before their base. The base has no locks, since one thread uses it
    /// and wakes it through a descriptor, and does not cache the time. Deadlines are a timerfd, polled like everything else:
    /// libevent's own are early or late by milliseconds.
    ///
    /// Safe: the base is made by `init` and freed by `deinit`, after the last event.
    @safe
    public struct LibeventPoller: Poller, ~Copyable {
        private let base: OpaquePointer
        private let registrations = Registrations()
        private var timer: TimerDescriptor
        private var isTimerWatched = false
        private static let timerToken = UInt64.max - 16

        public init() throws(LoopError) {
            // libevent ends the process where a base gets no pipe for signals.
            try SpareDescriptors.check("an event_base")
            guard let config = unsafe event_config_new() else { throw LoopError.system("event_config_new", ENOMEM) }
            let flags = EVENT_BASE_FLAG_NOLOCK.rawValue | EVENT_BASE_FLAG_NO_CACHE_TIME.rawValue
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
            unsafe precondition(
                event_get_struct_event_size() <= MemoryLayout<event>.size,
                "this was built with another libevent's headers: build it again beside the libevent that it runs with"
            )
        }

        deinit {
            registrations.removeAll()
            unsafe event_base_free(base)
        }

        public var nativeHandle: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(base) }

        public mutating func register(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            // Asked first, since libevent answers a bad descriptor with a line on standard error.
            let refusal = Pollable.check(descriptor)
            if refusal != 0 { throw LoopError.watching(descriptor, refusal) }
            unsafe registrations.add(descriptor, token, base)
            do {
                // Added for something first, so that a bad descriptor is found now, whatever is watched for.
                try registrations.set(descriptor, interest.isEmpty ? .read : interest)
                if interest.isEmpty { try registrations.set(descriptor, []) }
            } catch {
                registrations.remove(descriptor)
                throw error
            }
        }

        public mutating func modify(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            registrations.setToken(token, of: descriptor)
            try registrations.set(descriptor, interest)
        }

        public mutating func deregister(_ descriptor: Int32) {
            registrations.remove(descriptor)
        }

        public mutating func wait(
            until deadline: PollDeadline,
            _ ready: (_ token: UInt64, Readiness) -> Void
        ) throws(LoopError) {
            var flags = EVLOOP_ONCE
            switch deadline {
            case .now: flags |= EVLOOP_NONBLOCK
            case .never: timer.disarm()
            case .at(let instant): try arm(instant)
            }
            if unsafe event_base_loop(base, flags) < 0 { throw LoopError.system("event_base_loop", errno) }
            registrations.buffer.drain(ready)
        }

        private mutating func arm(_ instant: LoopInstant) throws(LoopError) {
            if !isTimerWatched {
                try register(timer.descriptor, .read, token: Self.timerToken)
                isTimerWatched = true
            }
            timer.arm(instant)
        }
    }
#endif
