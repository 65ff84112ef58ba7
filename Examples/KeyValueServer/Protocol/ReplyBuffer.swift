import ReactiveSockets

/// Replies as they are sent, put together until all of a batch are there.
struct ReplyBuffer: Sendable {
    private var text: [UInt8] = []
    private var pieces: [Bytes] = []
    /// A value that is longer goes out as it lies in the store: copying it would cost more than a piece of its own.
    private static let longestCopy = 8 * 1024
    /// So much of the buffer is kept for the next batch.
    private static let kept = 64 * 1024

    mutating func append(_ reply: Reply) {
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
            for reply in replies { append(reply) }
        case .each(let replies):
            for reply in replies { append(reply) }
        }
    }

    /// What there is to send; afterwards there is nothing.
    mutating func take() -> [Bytes] {
        cut()
        defer { pieces = [] }
        return pieces
    }

    /// The same where it is one piece, which it nearly always is: then there is no list of them.
    mutating func takeOnly() -> Bytes? {
        guard pieces.isEmpty, !text.isEmpty else { return nil }
        defer { empty() }
        return Bytes(text)
    }

    @inline(__always)
    private mutating func append(_ bytes: Bytes) {
        append(bytes.count, after: ASCII.dollar)
        if bytes.count > Self.longestCopy {
            cut()
            pieces.append(bytes)
        } else {
            text.append(contentsOf: bytes)
        }
        appendLineEnd()
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
        if text.isEmpty { return }
        pieces.append(Bytes(text))
        empty()
    }

    private mutating func empty() {
        text.removeAll(keepingCapacity: text.capacity <= Self.kept)
    }
}
