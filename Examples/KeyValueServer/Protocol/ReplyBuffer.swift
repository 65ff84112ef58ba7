// SPDX-License-Identifier: MIT
import ReactiveSockets

/// Encoded replies, collected until they are sent together.
struct ReplyBuffer: Sendable {
    private var text: [UInt8] = []
    private var pieces: [Bytes] = []
    private var piecesCount = 0
    private let limit: Int
    /// The number of bytes before the current reply.
    private var begin = 0
    /// Whether a reply exceeded the limit. The buffer then contains only its beginning.
    private(set) var isOverLimit = false
    /// Longer values are sent from the store's buffer, because copying them costs more than an additional buffer.
    private static let longestCopy = 8 * 1024
    /// A longer text becomes a buffer of the rope, so a long reply is not copied as it grows. Twice this capacity is
    /// reused.
    private static let longestText = 64 * 1024

    /// Creates an empty buffer for replies of at most `limit` bytes each.
    init(limit: Int = .max) {
        self.limit = limit
    }

    /// The number of encoded bytes.
    var count: Int { text.count + piecesCount }

    mutating func append(_ reply: Reply) {
        begin = count
        encode(reply)
        lookAtLimit()
    }

    private mutating func lookAtLimit() {
        if count - begin > limit { isOverLimit = true }
    }

    private mutating func encode(_ reply: Reply) {
        switch reply {
        case .ok: text.append(contentsOf: [ASCII.plus, 79, 75, ASCII.carriageReturn, ASCII.lineFeed])
        case .status(let line):
            text.append(ASCII.plus)
            appendLine(line)
        case .error(let line):
            text.append(ASCII.minus)
            appendLine(line)
        case .integer(let number): append(number, after: ASCII.colon)
        case .bulk(let bytes): append(bytes)
        case .null:
            text.append(contentsOf: [ASCII.dollar, ASCII.minus, ASCII.zero + 1, ASCII.carriageReturn, ASCII.lineFeed])
        case .array(let replies):
            append(replies.count, after: ASCII.star)
            append(all: replies)
        case .each(let replies): append(all: replies)
        }
    }

    /// Appends an encoded message.
    mutating func append(encoded message: Bytes) {
        if message.count > Self.longestCopy { append(piece: message) } else { text.append(contentsOf: message) }
    }

    /// Removes and returns all encoded bytes. Returns `nil` if there are none.
    mutating func take() -> Rope? {
        // Usually there is only one buffer, which needs no array.
        guard !pieces.isEmpty else { return takeText().map { Rope($0) } }
        cut()
        defer { (pieces, piecesCount) = ([], 0) }
        return Rope(pieces[0], Array(pieces[1...]))
    }

    @inline(__always)
    private mutating func append(_ bytes: Bytes) {
        append(bytes.count, after: ASCII.dollar)
        if bytes.count > Self.longestCopy { append(piece: bytes) } else { text.append(contentsOf: bytes) }
        appendLineEnd()
    }

    private mutating func append(all replies: [Reply]) {
        for reply in replies {
            if isOverLimit { return }
            encode(reply)
            if text.count >= Self.longestText { cut() }
            lookAtLimit()
        }
    }

    private mutating func append(piece: Bytes) {
        cut()
        pieces.append(piece)
        piecesCount += piece.count
    }

    @inline(__always)
    private mutating func append(_ number: Int, after sign: UInt8) {
        text.append(sign)
        Decimal.append(number, to: &text)
        appendLineEnd()
    }

    private mutating func appendLine(_ line: Bytes) {
        text.append(contentsOf: line)
        appendLineEnd()
    }

    @inline(__always)
    private mutating func appendLineEnd() {
        text.append(ASCII.carriageReturn)
        text.append(ASCII.lineFeed)
    }

    private mutating func cut() {
        guard let piece = takeText() else { return }
        pieces.append(piece)
        piecesCount += piece.count
    }

    private mutating func takeText() -> Bytes? {
        if text.isEmpty { return nil }
        defer { text.removeAll(keepingCapacity: text.capacity <= 2 * Self.longestText) }
        return Bytes(text)
    }
}
