// SPDX-License-Identifier: MIT
import ReactiveCore

extension Connection {
    /// Creates a connection that shares its context with no other.
    convenience init(
        _ socket: SystemSocket,
        on loop: any LoopScheduler,
        from local: SocketAddress?,
        to remote: SocketAddress?,
        watermarks: Watermarks,
        transformer: (any ConnectionTransformer)? = nil,
        preface: Bytes? = nil
    ) {
        let context = ConnectionContext(loop, watermarks, local)
        self.init(socket, in: context, to: remote, transformer: transformer, preface: preface)
    }
}
