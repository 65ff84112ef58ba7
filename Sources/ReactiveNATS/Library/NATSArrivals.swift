#if NATS
    import CNats
    import ReactiveSupport

    /// Messages that nats.c has handed over on a thread of its own and the loop has not taken: those of a client's inbox.
    ///
    /// nats.c tells "nobody listens there" only to a subscription with a callback which request it is about. What waits here is
    /// bounded by nats.c, which keeps at most 65 536 messages and says so when it drops one, and by the requests there are.
    ///
    /// Why the unmanaged reference is right: nats.c holds one count, from the subscription to its completion, which it tells
    /// after its last call.
    final class NATSArrivals: Sendable {
        private let messages = Lock<[NATSMessage]>([])
        private let arrived: @Sendable () -> Void

        /// `arrived` is called on nats.c's thread, once for each time there was nothing.
        init(arrived: @escaping @Sendable () -> Void) {
            self.arrived = arrived
        }

        func takeAll() -> [NATSMessage] {
            messages.withLock { messages in
                defer { messages = [] }
                return messages
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
