// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

extension Connection: Identifiable {
    /// The number of the connection. No other connection of the process has or had it. Any thread may read it.
    ///
    /// It counts from 1, in the order of creation, and tells connections apart whose addresses are the same or unknown.
    public var id: UInt64 { core.value.id }
}

extension Connection: CustomStringConvertible {
    /// The connection in one line: `Connection 17 (local 127.0.0.1:7000, peer 127.0.0.1:50412, open)`.
    ///
    /// Any thread may read it, even after the connection has ended: `closed` then replaces `open`. An address that is
    /// not known is `unknown`.
    public var description: String {
        func text(_ address: SocketAddress?) -> String { address.map { "\($0)" } ?? "unknown" }
        let state = isClosed ? "closed" : "open"
        return "Connection \(id) (local \(text(localAddress)), peer \(text(remoteAddress)), \(state))"
    }

    private var isClosed: Bool {
        loop.isDisposed || core.value.reportedWritability.load(ordering: .relaxed) == Writability.Level.ended
    }
}

extension ConnectionCore {
    private static let lastID = Atomic<UInt64>(0)

    /// Returns the number of the next connection. Any thread.
    static func nextID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }
}
