#if NATS
    /// Where in the order of what was given to the connection one message is. It belongs to the client's loop.
    final class PublishTicket {
        enum State {
            /// There has been no connection for it yet.
            case waiting
            /// It is the connection's, at this place, counted from 1.
            case given(place: Int)
            case refused(NATSError)
        }

        var state = State.waiting
        /// Whom to tell when the connection gets it, or it is refused.
        var observers: [@Sendable (NATSError?) -> Void] = []
    }
#endif
