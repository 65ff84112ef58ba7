// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSignals

    /// The state of one publication. It belongs to the client's loop.
    final class PublishTicket {
        enum State {
            /// The message waits for a connection.
            case waiting
            /// The message was sent, at this position, counted from 1.
            case given(place: Int)
            case refused(NATSError)
        }

        var state = State.waiting
        /// Callbacks for when the message is sent or refused.
        var observers: [@Sendable (NATSError?) -> Void] = []
        /// The refusal, if nothing has received it.
        var unobserved: UnobservedFailure<NATSError>?
    }
#endif
