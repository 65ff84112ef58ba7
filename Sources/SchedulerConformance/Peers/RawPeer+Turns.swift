// SPDX-License-Identifier: MIT

/// Transfers of several turns. The caller's `turns` runs turns of the other side until the closure that it receives
/// returns true.
extension RawPeer {
    /// Receives until the stream has ended or failed.
    package func receiveToEnd(
        _ turns: (_ isDone: () -> Bool) throws -> Void
    ) rethrows -> (bytes: [UInt8], end: RawPeer.Read) {
        var all: [UInt8] = []
        var end = RawPeer.Read.nothing
        try turns {
            end = receive()
            if case .bytes(let bytes) = end { all += bytes }
            switch end {
            case .bytes, .nothing: return false
            case .end, .failed: return true
            }
        }
        return (all, end)
    }

    /// Sends all bytes.
    package func sendAll(_ bytes: [UInt8], _ turns: (_ isDone: () -> Bool) throws -> Void) rethrows {
        var sent = 0
        try turns {
            sent += send(bytes[sent...])
            return sent == bytes.count
        }
    }
}
