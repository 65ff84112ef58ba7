// SPDX-License-Identifier: MIT
import ReactiveSupport

extension Connection {
    /// Whether bytes, the end of the stream or a failure have arrived that no subscriber has received. True after the
    /// connection has ended. Call it on the loop.
    ///
    /// With a transformer, bytes in the kernel count too, although they may belong to the transformer's protocol.
    package var hasUnreadInput: Bool {
        let core = core.value
        guard core.isOpen, !core.hasStreamEnded, !core.holdsTransformed else { return true }
        return switch core.socket.peek() {
        case .wouldBlock: false
        case .failed, .count: true
        }
    }
}
