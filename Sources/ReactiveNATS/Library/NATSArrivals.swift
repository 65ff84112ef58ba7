// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import ReactiveSupport

    /// Messages for a client's inbox that nats.c has delivered on its own thread and that the loop has not taken yet.
    ///
    /// Only a subscription with a callback receives the subject of a request that has no responders. nats.c queues at
    /// most 65 536 messages for the callback, and reports each drop.
    ///
    /// This buffer needs no limit, because the loop takes all messages once per turn. A loop that stalls does not read
    /// from the server either. So the buffer contains at most the messages of one read, and those that nats.c queued.
    ///
    /// Why the unmanaged reference is correct: nats.c holds one reference, from the subscription until its completion
    /// callback, which follows all other callbacks.
    final class NATSArrivals: Sendable {
        private let messages = Lock<[NATSMessage]>([])
        private let arrived: @Sendable () -> Void

        /// `arrived` is called on nats.c's thread, whenever a message arrives in an empty buffer.
        init(arrived: @escaping @Sendable () -> Void) {
            self.arrived = arrived
        }

        func takeAll() -> [NATSMessage] {
            messages.withLock { messages in messages.takeAll() }
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
                        if let closure = unsafe closure { unsafe Unmanaged<NATSArrivals>.fromOpaque(closure).release() }
                    },
                    unsafe closure
                )
            }
            if unsafe subscription == nil { unsafe Unmanaged<NATSArrivals>.fromOpaque(closure).release() }
            return unsafe (status, subscription)
        }

        private func add(_ message: OpaquePointer) {
            let subject = unsafe natsMsg_GetSubject(message).map { unsafe String(cString: $0) } ?? ""
            let native = unsafe NATSMessage.copying(message, subject)
            unsafe natsMsg_Destroy(message)
            let isFirst = messages.withLock { messages in
                messages.append(native.message)
                return messages.count == 1
            }
            if isFirst { arrived() }
        }
    }
#endif
