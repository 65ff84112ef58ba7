// SPDX-License-Identifier: MIT
import ReactiveCore

/// The position in a connection's stream at which the bytes of one `send` end. Only the connection's loop accesses it.
final class SendTicket {
    enum State {
        case waitingForLoop
        /// The transformer still keeps some of the bytes, so the position is not known yet.
        case held
        /// The `send` is complete when the kernel has accepted `position` bytes.
        case accepted(position: Int)
        case refused(SocketError)
    }

    var state = State.waitingForLoop
}
