// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSignals

    /// The state of one publication. It belongs to the client's loop.
    final class PublishTicket {
        enum State {
            /// The message has not been sent.
            case waiting
            /// The message waits for a connection.
            case queued
            /// The message waited for a connection, and is not needed any more.
            case withdrawn
            /// The message was sent, at this position, counted from 1.
            case given(position: Int)
            case refused(NATSError)
        }

        var state = State.waiting
        /// Callbacks for when the message is sent or refused.
        var observers: [@Sendable (NATSError?) -> Void] = []
        /// The refusal, if nothing has received it.
        var unobserved: UnobservedFailure<NATSError>?
        /// Handles a refusal for an operation that consists of this publication and a reply. It may be called while the
        /// publication begins, or later.
        let onRefusal: ((NATSError) -> Void)?

        init(onRefusal: ((NATSError) -> Void)? = nil) {
            self.onRefusal = onRefusal
        }

        /// Whether something receives a refusal.
        var isObserved: Bool { onRefusal != nil || !observers.isEmpty }
    }
#endif
