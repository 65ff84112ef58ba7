// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import ReactiveSupport

    /// Messages of one feed that nats.c has delivered on its own thread and that the loop has not taken yet.
    ///
    /// Only a subscription with a callback receives every message: the subject of a request that has no responders, and
    /// an empty message with the status 503. nats.c queues at most 65 536 messages for the callback, and reports each
    /// drop.
    ///
    /// This buffer needs no limit, because the loop takes all messages once per turn. A loop that stalls does not read
    /// from the server either. So the buffer contains at most the messages of one read, and those that nats.c queued.
    ///
    /// Why the unmanaged reference is correct: nats.c holds one reference, from the subscription until its completion
    /// callback, which follows all other callbacks.
    final class NATSArrivals: Sendable {
        struct State {
            var messages: [NATSMessage] = []
            /// The number of messages with headers that nats.c cannot read.
            var unreadable = 0
            /// Whether a subscription has ended, so that nats.c delivers no more of its messages.
            var isOver = false
        }

        private let state = Lock(State())
        private let arrived: @Sendable () -> Void

        /// `arrived` is called on nats.c's thread, when a message arrives in an empty buffer, and when a subscription ends.
        init(arrived: @escaping @Sendable () -> Void) {
            self.arrived = arrived
        }

        /// Takes the state, and leaves an empty one.
        func takeAll() -> State {
            state.withLock { state in
                defer { state = State() }
                return state
            }
        }

        /// Subscribes at the server.
        func subscribe(_ connection: OpaquePointer, _ subject: String) -> (natsStatus, OpaquePointer?) {
            var subscription: OpaquePointer?
            let closure = unsafe Unmanaged.passRetained(self).toOpaque()
            var status = unsafe natsConnection_Subscribe(
                &subscription,
                connection,
                subject,
                { _, _, message, closure in
                    guard let message = unsafe message, let closure = unsafe closure else { return }
                    unsafe Unmanaged<NATSArrivals>.fromOpaque(closure).takeUnretainedValue().add(message)
                },
                unsafe closure
            )
            if status == NATS_OK {
                status = unsafe natsSubscription_SetOnCompleteCB(
                    subscription,
                    { closure in
                        guard let closure = unsafe closure else { return }
                        unsafe Unmanaged<NATSArrivals>.fromOpaque(closure).takeRetainedValue().end()
                    },
                    unsafe closure
                )
            }
            if unsafe subscription == nil { unsafe Unmanaged<NATSArrivals>.fromOpaque(closure).release() }
            return unsafe (status, subscription)
        }

        private func end() {
            state.withLock { $0.isOver = true }
            arrived()
        }

        private func add(_ message: OpaquePointer) {
            let subject = unsafe natsMsg_GetSubject(message).map { unsafe String(cString: $0) } ?? ""
            let native = unsafe NATSMessage.copying(message, subject)
            unsafe natsMsg_Destroy(message)
            let isFirst = state.withLock { state in
                state.messages.append(native.message)
                if !native.isReadable { state.unreadable += 1 }
                return state.messages.count == 1
            }
            if isFirst { arrived() }
        }
    }
#endif
