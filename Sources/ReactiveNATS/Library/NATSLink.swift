// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import Glibc
    import ReactiveCore
    import ReactiveSupport
    import Synchronization

    /// The callbacks of nats.c for its socket and its connection. They run on any thread, with the lock of nats.c held.
    ///
    /// A callback only records the change and notifies the loop. nats.c closes its socket immediately after it stops
    /// reading, but a watch must be disposed before its descriptor is closed. So the loop watches a duplicate of the
    /// descriptor, and closes the duplicate itself.
    ///
    /// Why the unmanaged reference is correct: nats.c holds one reference, from `register` on. It is released after the
    /// last callback of nats.c, when the connection is closed, its socket is detached, and the call that destroys the
    /// connection has returned.
    final class NATSLink: Sendable {
        /// The descriptor to watch.
        struct Wanted {
            /// The number of the connection's socket, counted from 1. 0 means that there is none.
            var generation = 0
            var descriptor: Int32 = -1
            var interest: Readiness = []
        }

        /// A change of the connection.
        enum Report: Sendable {
            case down
            case closed(NATSError?)
            case error(NATSError)
        }

        private struct State {
            var wanted = Wanted()
            var generations = 0
            /// A duplicate of the socket whose TLS handshake is under way, or -1.
            var handshaking: Int32 = -1
            var isInterrupted = false
            /// Duplicates to close after their watches are disposed.
            var retired: [Int32] = []
            var isAttached = false
            var isClosed = false
            var isDestroyed = false
            var isHeld = false
        }

        private let state = Lock(State())
        /// The generation that is up, or 0. Read it before each call into nats.c: while nats.c connects, it holds its
        /// lock, and a call would block.
        private let live = Atomic<Int>(0)
        private let changed: @Sendable () -> Void
        private let report: @Sendable (Report) -> Void

        /// How long the kernel waits for a server that takes no bytes, in milliseconds.
        private let patience: Int32

        /// Creates a link. `changed` is called when `wanted` has changed. The lock of nats.c may be held during the
        /// call, so `changed` must not call nats.c.
        init(
            patience: Duration,
            changed: @escaping @Sendable () -> Void,
            report: @escaping @Sendable (Report) -> Void
        ) {
            self.patience = Int32(clamping: patience.wholeMilliseconds)
            self.changed = changed
            self.report = report
        }

        deinit {
            let (wanted, retired) = state.withLock { ($0.wanted, $0.retired) }
            if wanted.descriptor >= 0 { close(wanted.descriptor) }
            for descriptor in retired { close(descriptor) }
        }

        var liveGeneration: Int { live.load(ordering: .acquiring) }

        var wanted: Wanted { state.withLock { $0.wanted } }

        /// Closes the unused duplicates. Called on the loop, which watches none of them.
        func closeRetired() {
            let retired = state.withLock { state in state.retired.takeAll() }
            for descriptor in retired { close(descriptor) }
        }

        // MARK: TLS handshakes

        private static let bothDirections = CInt(SHUT_RDWR)

        /// Remembers the socket of a TLS handshake that begins. An earlier one, with another server, has failed.
        func handshakeBegan(on socket: Int32) {
            handshakeEnded()
            let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
            let isInterrupted = state.withLock { state in
                state.handshaking = copy
                return state.isInterrupted
            }
            // A handshake that cannot be interrupted later may not begin.
            if copy < 0 || isInterrupted { shutdown(socket, Self.bothDirections) }
        }

        /// Forgets the socket of the handshake, if there is one.
        func handshakeEnded() {
            let copy = state.withLock { state in
                defer { state.handshaking = -1 }
                return state.handshaking
            }
            if copy >= 0 { close(copy) }
        }

        /// Ends the handshake under way, and each later one.
        func interrupt() {
            state.withLock { state in
                state.isInterrupted = true
                if state.handshaking >= 0 { shutdown(state.handshaking, Self.bothDirections) }
            }
        }

        // MARK: Callbacks of nats.c

        /// Registers the callbacks with `options`, and retains this object for nats.c.
        func register(with options: NATSNativeOptions) -> natsStatus {
            state.withLock { $0.isHeld = true }
            let closure = unsafe Unmanaged.passRetained(self).toOpaque()
            var status = unsafe natsOptions_SetEventLoop(
                options.pointer,
                closure,
                { data, loop, _, socket in
                    unsafe data?.pointee = loop
                    return unsafe NATSLink.of(loop).attach(socket)
                },
                { data, isWanted in unsafe NATSLink.of(data).setInterest(.read, isWanted) },
                { data, isWanted in unsafe NATSLink.of(data).setInterest(.write, isWanted) },
                { data in unsafe NATSLink.of(data).detach() }
            )
            if status == NATS_OK {
                status = unsafe natsOptions_SetErrorHandler(
                    options.pointer,
                    { connection, _, status, closure in
                        var text: UnsafePointer<CChar>?
                        unsafe natsConnection_GetLastError(connection, &text)
                        let detail = unsafe text.map { unsafe ": \(String(cString: $0))" } ?? ""
                        let error = NATSError.library("the server reports", status)
                        unsafe NATSLink.of(closure).report(.error(NATSError(error.code, error.message + detail)))
                    },
                    closure
                )
            }
            if status == NATS_OK {
                status = unsafe natsOptions_SetClosedCB(
                    options.pointer,
                    { connection, closure in
                        var text: UnsafePointer<CChar>?
                        let status = unsafe natsConnection_GetLastError(connection, &text)
                        let isFailed = status != NATS_OK && status != NATS_CONNECTION_CLOSED
                        let reason = isFailed ? NATSError.library("the connection", status) : nil
                        let detail = unsafe text.map { unsafe " (\(String(cString: $0)))" } ?? ""
                        unsafe NATSLink.of(closure).closed(reason.map { NATSError($0.code, $0.message + detail) })
                    },
                    closure
                )
            }
            return status
        }

        private static func of(_ closure: UnsafeMutableRawPointer?) -> NATSLink {
            guard let closure = unsafe closure else {
                fatalError("nats.c called back without the context that it was given")
            }
            return unsafe Unmanaged<NATSLink>.fromOpaque(closure).takeUnretainedValue()
        }

        private func attach(_ socket: Int32) -> natsStatus {
            let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
            if copy < 0 { return NATS_SYS_ERROR }
            // While the socket takes nothing, no ping is written, so no unanswered one is counted.
            var patience = patience
            let size = socklen_t(MemoryLayout.size(ofValue: patience))
            unsafe setsockopt(copy, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &patience, size)
            let generation = state.withLock { state in
                if state.wanted.descriptor >= 0 { state.retired.append(state.wanted.descriptor) }
                state.generations += 1
                state.wanted = Wanted(generation: state.generations, descriptor: copy, interest: .read)
                state.isAttached = true
                return state.generations
            }
            live.store(generation, ordering: .releasing)
            changed()
            return NATS_OK
        }

        private func setInterest(_ interest: Readiness, _ isWanted: Bool) -> natsStatus {
            let isDown = state.withLock { state in
                if isWanted { state.wanted.interest.insert(interest) } else { state.wanted.interest.remove(interest) }
                guard interest == .read, !isWanted, state.wanted.descriptor >= 0 else { return false }
                state.retired.append(state.wanted.descriptor)
                state.wanted = Wanted()
                return true
            }
            if isDown { live.store(0, ordering: .releasing) }
            changed()
            if isDown { report(.down) }
            return NATS_OK
        }

        private func detach() -> natsStatus {
            finish { $0.isAttached = false }
            return NATS_OK
        }

        private func closed(_ reason: NATSError?) {
            report(.closed(reason))
            finish { $0.isClosed = true }
        }

        /// Records that the connection has been destroyed. With `neverMade`, it was never created, so no callback has
        /// been or will be called.
        func destroyed(neverMade: Bool = false) {
            finish { state in
                state.isDestroyed = true
                if neverMade { state.isClosed = true }
            }
        }

        private func finish(_ change: (inout State) -> Void) {
            let isLast = state.withLock { state in
                change(&state)
                guard state.isHeld, state.isDestroyed, state.isClosed, !state.isAttached else { return false }
                state.isHeld = false
                return true
            }
            if isLast { unsafe Unmanaged.passUnretained(self).release() }
        }
    }
#endif
