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
    public struct LibeventPoller: Poller, ~Copyable {
        private let base: OpaquePointer
        private let buffer = ReadyBuffer()
        /// By descriptor.
        private var records: [UnsafeMutablePointer<Record>?] = []
        private var timer: TimerDescriptor
        private var isTimerWatched = false
        private static let timerToken = UInt64.max - 16

        public init() throws(LoopError) {
            guard let config = event_config_new() else { throw LoopError.system("event_config_new", ENOMEM) }
            let flags = EVENT_BASE_FLAG_NOLOCK.rawValue | EVENT_BASE_FLAG_NO_CACHE_TIME.rawValue
            event_config_set_flag(config, Int32(flags))
            let made = event_base_new_with_config(config)
            event_config_free(config)
            guard let made else { throw LoopError.system("event_base_new", errno) }
            do {
                timer = try TimerDescriptor()
            } catch {
                event_base_free(made)
                throw error
            }
            base = made
        }

        deinit {
            for case let record? in records { Record.free(record) }
            event_base_free(base)
        }

        public var nativeHandle: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(base) }

        public mutating func register(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            // Asked first, since libevent answers a bad descriptor with a line on standard error.
            let refusal = Pollable.check(descriptor)
            if refusal != 0 { throw LoopError.watching(descriptor, refusal) }
            let record = UnsafeMutablePointer<Record>.allocate(capacity: 1)
            record.initialize(to: Record(token: token, buffer: Unmanaged.passUnretained(buffer)))
            do {
                // Added for something first, so that a bad descriptor is found now, whatever is watched for.
                try set(record, descriptor, interest.isEmpty ? .read : interest)
                if interest.isEmpty { try set(record, descriptor, []) }
            } catch {
                Record.free(record)
                throw error
            }
            while records.count <= Int(descriptor) { records.append(nil) }
            records[Int(descriptor)] = record
        }

        public mutating func modify(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            guard let record = records[Int(descriptor)] else { return }
            record.pointee.token = token
            try set(record, descriptor, interest)
        }

        public mutating func deregister(_ descriptor: Int32) {
            guard let record = records[Int(descriptor)] else { return }
            records[Int(descriptor)] = nil
            Record.free(record)
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
            if event_base_loop(base, flags) < 0 { throw LoopError.system("event_base_loop", errno) }
            buffer.drain(ready)
        }

        private mutating func arm(_ instant: LoopInstant) throws(LoopError) {
            if !isTimerWatched {
                try register(timer.descriptor, .read, token: Self.timerToken)
                isTimerWatched = true
            }
            timer.arm(instant)
        }

        private func set(
            _ record: UnsafeMutablePointer<Record>,
            _ descriptor: Int32,
            _ interest: Readiness
        ) throws(LoopError) {
            try set(&record.pointee.reading, record, descriptor, Int16(EV_READ), isOn: interest.contains(.read))
            try set(&record.pointee.writing, record, descriptor, Int16(EV_WRITE), isOn: interest.contains(.write))
        }

        private func set(
            _ event: inout UnsafeMutablePointer<event>?,
            _ record: UnsafeMutablePointer<Record>,
            _ descriptor: Int32,
            _ kind: Int16,
            isOn: Bool
        ) throws(LoopError) {
            if !isOn {
                if let event { event_del(event) }
                return
            }
            if event == nil { event = event_new(base, descriptor, kind | Int16(EV_PERSIST), eventReady, record) }
            guard let event, event_add(event, nil) == 0 else { throw LoopError.watching(descriptor, errno) }
        }
    }

    /// A descriptor's two events, made when first wanted.
    private struct Record {
        var token: UInt64
        /// The poller owns the buffer, and outlives every callback.
        var buffer: Unmanaged<ReadyBuffer>
        var reading: UnsafeMutablePointer<event>?
        var writing: UnsafeMutablePointer<event>?

        static func free(_ record: UnsafeMutablePointer<Record>) {
            if let event = record.pointee.reading { event_free(event) }
            if let event = record.pointee.writing { event_free(event) }
            record.deinitialize(count: 1)
            record.deallocate()
        }
    }

    private func eventReady(_: Int32, _ what: Int16, _ context: UnsafeMutableRawPointer?) {
        guard let record = context?.assumingMemoryBound(to: Record.self) else { return }
        let readiness: Readiness = what & Int16(EV_WRITE) != 0 ? .write : .read
        record.pointee.buffer._withUnsafeGuaranteedRef { buffer in buffer.append(record.pointee.token, readiness) }
    }
#endif
