// SPDX-License-Identifier: MIT
import ReactiveSockets

/// The error of bytes that are not a request. The client receives the error message of Redis, and its connection ends.
struct ProtocolError: Error, Equatable {
    let text: Bytes

    static let invalidMultibulkLength = ProtocolError(text: "invalid multibulk length")
    static let invalidBulkLength = ProtocolError(text: "invalid bulk length")
    static let unbalancedQuotes = ProtocolError(text: "unbalanced quotes in request")
    static let tooBigInlineRequest = ProtocolError(text: "too big inline request")
    static let tooBigMultibulkCount = ProtocolError(text: "too big mbulk count string")
    static let tooBigBulkCount = ProtocolError(text: "too big bulk count string")

    static func expectedDollar(_ found: UInt8) -> ProtocolError {
        // The line end is replaced, because an error is one line.
        let isLineEnd = found == ASCII.carriageReturn || found == ASCII.lineFeed
        return ProtocolError(text: Bytes(joining: ["expected '$', got '", [isLineEnd ? ASCII.space : found], "'"]))
    }

    /// The reply to the client.
    var reply: Reply { .error(Bytes(joining: ["ERR Protocol error: ", text])) }
}
