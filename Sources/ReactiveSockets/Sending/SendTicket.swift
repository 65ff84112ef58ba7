import ReactiveCore

/// Where in a connection's stream one `send` ends. It belongs to the connection's loop.
final class SendTicket {
    enum State {
        case waitingForLoop
        /// A transformer keeps a part of it: where it ends is not known yet.
        case held
        /// All of it is in the kernel when that many bytes are.
        case accepted(position: Int)
        case refused(SocketError)
    }

    var state = State.waitingForLoop
}
