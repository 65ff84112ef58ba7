#if NATS
    /// Something that a client reports and that ends nothing.
    public enum NATSEvent: Sendable, Hashable {
        /// The connection broke while so many published messages had not been confirmed by the server: each has arrived, or is
        /// lost.
        case unconfirmed(Int)
        /// A subscriber to `subject` did not take its messages; so many more of them have been dropped.
        case dropped(Int, subject: String)
        /// A message was refused, and is not published: too large, or no room for it while there was no connection.
        case refused(NATSError, subject: String)
        /// What the server says about this connection: a subject that it may not publish or subscribe to.
        case reported(NATSError)
        /// More was reported at one time than is kept; so many reports are missing here.
        case missed(Int)
    }
#endif
