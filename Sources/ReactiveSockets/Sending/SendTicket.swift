// SPDX-License-Identifier: MIT
import ReactiveCore

/// The position in a connection's stream at which one `send` ends. It belongs to the connection's loop.
final class SendTicket {
    enum State {
        case waitingForLoop
        /// The transformer keeps some of the bytes, so the position is not known yet.
        case held
        /// The `send` is complete when the kernel has accepted `position` bytes.
        case accepted(position: Int)
        case refused(SocketError)
    }

    var state = State.waitingForLoop
}
