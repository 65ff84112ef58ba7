// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Bytes that the kernel refuses, because the peer has reset the connection or ended it completely.
///
/// The peer may have sent something before: a server that rejects an upload responds, and then closes. These bytes are
/// still in the kernel. So the reader receives them, and then the connection fails.
extension ConnectionCore {
    /// Fails the connection because of a system call that could not send: now, or after the reader has received what has
    /// arrived.
    ///
    /// A paused reader does not delay the failure. It is perhaps paused until bytes have been sent, which will not happen.
    @inline(never)
    func failSending(_ code: Int32) {
        let error = SocketError.system("cannot send to \(peer)", code)
        let accepts = subscription?.acceptsValues == true && receiving.stream == .open
        guard accepts, !needsInput, !phase.isClosing else { return fail(error) }
        guard sending.refuse() else { return }
        let ending = ensureExtras().ensureEnding()
        ending.sendError = error
        // A peer that refuses bytes can still send, without end (`SHUT_RD` of a Unix socket).
        ending.lastReceived = receivedTotal + socket.readableCount
        backlog?.dropBytes()
        // Other events may keep the loop busy, but no event reports that nothing has arrived.
        receiveRest()
    }

    /// Lets the reader receive one chunk in each turn, while it accepts them, up to what had arrived when the send failed.
    private func receiveRest() {
        let core = UnsafeTransfer(self)
        loop.execute {
            let core = core.value
            guard core.isOpen else { return }
            if core.subscription?.acceptsValues != true || core.receiving.stream != .open {
                core.failRefused()
            } else if core.receivedTotal >= core.extras?.ending?.lastReceived ?? 0, !core.holdsTransformed,
                !core.isSuspended
            {
                core.failRefused()
            } else {
                // A suspended transformer continues in a later turn (Decision 0044).
                if !core.isSuspended { core.readChunk() }
                core.receiveRest()
            }
        }
    }

    /// Fails the connection if the kernel has refused bytes. Returns whether it has.
    @discardableResult
    func failRefused() -> Bool {
        guard sending.isRefused, let error = extras?.ending?.sendError else { return false }
        fail(error)
        return true
    }
}
