// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import ReactiveSupport

    /// Messages of one feed that nats.c has delivered on its own thread and that the loop has not taken yet.
    ///
    /// Only a subscription with a callback receives every message: the subject of a request that has no responders, and
    /// an empty message with the status 503. nats.c has one thread for each such subscription. A shared thread of nats.c
    /// would take a message whose subject begins with a zero byte for a control message, and release a subscription twice.
    ///
    /// This buffer needs no limit, because the loop takes all messages once per turn. A loop that stalls does not read
    /// from the server either. The loop also reads the headers, so that the thread only passes messages on.
    ///
    /// Why the unmanaged reference is correct: nats.c holds one reference, from the subscription until its completion
    /// callback, which follows all other callbacks. If the connection breaks before the second callback is set, that
    /// reference is never released, because the first one may be running.
    final class NATSArrivals: Sendable {
        private struct State {
            var messages: [NativeMessage] = []
            /// Whether a subscription has ended, so that nats.c delivers no more of its messages.
            var isOver = false
        }

        private let state = Lock(State())
        private let arrived: @Sendable () -> Void

        /// `arrived` is called on nats.c's thread, when a message arrives in an empty buffer, and when a subscription ends.
        init(arrived: @escaping @Sendable () -> Void) {
            self.arrived = arrived
        }

        deinit {
            for message in state.withLock({ $0.messages.takeAll() }) { message.destroy() }
        }

        /// Takes all messages, the number of those with headers that nats.c cannot read, and whether a subscription has ended
        /// since the last call.
        func takeAll() -> (messages: [NATSMessage], unreadable: Int, isOver: Bool) {
            let taken = state.withLock { state in
                defer { state = State() }
                return state
            }
            var unreadable = 0
            let messages = taken.messages.map { message in
                let (copy, isReadable) = message.copy()
                message.destroy()
                if !isReadable { unreadable += 1 }
                return copy
            }
            return (messages, unreadable, taken.isOver)
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
            let message = unsafe NativeMessage(pointer: message)
            let isFirst = state.withLock { state in
                state.messages.append(message)
                return state.messages.count == 1
            }
            if isFirst { arrived() }
        }
    }

    /// A message of nats.c, which its holder owns. nats.c has passed it on, and any one thread may use it.
    ///
    /// Safe: the holder destroys it once, after the last use.
    @safe
    private struct NativeMessage: Sendable {
        private let pointer: UnsafeTransfer<OpaquePointer>

        init(pointer: OpaquePointer) { unsafe self.pointer = UnsafeTransfer(pointer) }

        func copy() -> (message: NATSMessage, isReadable: Bool) {
            let pointer = unsafe pointer.value
            let subject = unsafe natsMsg_GetSubject(pointer).map { unsafe String(cString: $0) } ?? ""
            return unsafe NATSMessage.copying(pointer, subject)
        }

        func destroy() { unsafe natsMsg_Destroy(pointer.value) }
    }
#endif
