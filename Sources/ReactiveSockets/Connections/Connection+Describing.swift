// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

extension Connection: Identifiable {
    /// The connection's number, which is unique within the process. Any thread may read it.
    ///
    /// Numbers start at 1 and follow the order of creation. They distinguish connections whose addresses are the same
    /// or unknown.
    public var id: UInt64 { core.value.id }
}

extension Connection: CustomStringConvertible {
    /// The connection in one line: `Connection 17 (local 127.0.0.1:7000, peer 127.0.0.1:50412, open)`.
    ///
    /// Any thread may read it. After the connection has ended, `closed` replaces `open`. `unknown` replaces an unknown
    /// address.
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

    /// Returns the number of the next connection. Any thread may call it.
    static func nextID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }
}
