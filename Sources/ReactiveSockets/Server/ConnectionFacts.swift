// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// What a connection of a server does at one moment.
package struct ConnectionFacts: Sendable, Hashable {
    /// A number that no other connection of the process has.
    package let id: UInt64
    /// The address of the peer. `nil` means unknown.
    package let peer: SocketAddress?
    /// The time since the connection was accepted.
    package let age: Duration
    /// The number of bytes received so far.
    package let received: Int
    /// The number of bytes that the kernel has accepted for sending so far.
    package let sent: Int
    /// The number of bytes that wait to be sent.
    package let waiting: Int
    /// Whether the waiting bytes have reached the high watermark, so that sources are paused.
    package let isFull: Bool
    /// Whether the subscriber of the received bytes has paused.
    package let isReceivingPaused: Bool
}

extension Server {
    /// Reads the connections that belong to `loop`, at most `limit` of them. Call it in the loop's own work.
    package func facts(on loop: any LoopScheduler, limit: Int) -> [ConnectionFacts] {
        core.served.lazy.filter { $0.connection.loop === loop }.prefix(limit).map { connection, begin in
            let core = connection.core.value
            return ConnectionFacts(
                id: UInt64(core.id),
                peer: core.remote,
                age: loop.now - begin,
                received: core.receivedTotal,
                sent: core.sending.sent,
                waiting: core.sending.pendingCount,
                isFull: core.reportedWritability.load(ordering: .relaxed) == Writability.Level.full,
                isReceivingPaused: core.subscription?.isPaused == true
            )
        }
    }

    /// The number of connections that are being served now.
    package var servedCount: Int { core.present.connections }
}
