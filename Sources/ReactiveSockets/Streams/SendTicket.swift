import ReactiveCore

/// Where in a connection's stream one `send` ends. It belongs to the connection's loop.
final class SendTicket {
    enum State {
        case waitingForLoop
        /// All of it is in the kernel when that many bytes are.
        case accepted(position: Int)
        case refused(SocketError)
    }

    var state = State.waitingForLoop
}
