// SPDX-License-Identifier: MIT
#if NATS
    /// A problem that does not close the client.
    public enum NATSEvent: Sendable, Hashable {
        /// The connection broke while this number of messages was unconfirmed. Each may or may not have arrived.
        case unconfirmed(Int)
        /// This number of messages was dropped because a subscriber to `subject` was too slow.
        case dropped(Int, subject: String)
        /// A message was refused and not published, for example because it is too large or the queue is full.
        case refused(NATSError, subject: String)
        /// The server reported an error, such as a subject without permission, or the connection broke for a reason other
        /// than `noServer`.
        case reported(NATSError)
    }
#endif
