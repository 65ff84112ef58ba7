// SPDX-License-Identifier: MIT
import ReactiveSockets

/// Finds requests in a stream that arrives in chunks: arrays of bulk strings, or lines of words.
///
/// The scanner remembers its position, so it reads each byte once, however the stream is split. Positions are offsets
/// from the first byte of the incomplete request.
struct RequestScanner: Sendable {
    /// The result of the last scan.
    private(set) var found = Found()

    private let limits: RequestLimits
    private var position = 0
    /// The number of words that the current request still lacks. It is 0 before the request's header has been read.
    private var missing = 0
    /// The length of the current word. It is `nil` before the length has been read.
    private var length: Int?
    /// The bytes before this position contain no line end.
    private var searched = 0

    /// The requests in some bytes.
    struct Found: Sendable {
        /// The words of all requests, in order. Those of the incomplete request are last.
        var words: [Batch.Word] = []
        var extents: [Batch.Extent] = []
        var unquoted: [UInt8] = []
        /// The end of the last complete request.
        var end = 0
        var error: ProtocolError?

        var completeWords: Int { extents.last?.end ?? 0 }
    }

    init(_ limits: RequestLimits) {
        self.limits = limits
    }

    /// Continues in `bytes`, which begin with the incomplete request of the last scan.
    mutating func scan(_ bytes: Span<UInt8>) {
        forgetWhatIsComplete()
        do throws(ProtocolError) {
            while position < bytes.count, try finishRequest(bytes) {}
        } catch {
            found.error = error
        }
    }

    /// Forgets the complete requests. Keeps the arrays' memory, unless it is too much for an idle client.
    private mutating func forgetWhatIsComplete() {
        position -= found.end
        searched = max(0, searched - found.end)
        if found.words.count == found.completeWords {
            found.words.removeAll(keepingCapacity: found.words.count <= 64)
        } else if found.end > 0 {
            found.words = found.words[found.completeWords...].map {
                Batch.Word(start: $0.start - found.end, count: $0.count)
            }
        }
        found.extents.removeAll(keepingCapacity: found.extents.count <= 32)
        if !found.unquoted.isEmpty { found.unquoted = [] }
        found.end = 0
    }

    /// Reads the current request. Returns false if its rest has not arrived.
    private mutating func finishRequest(_ bytes: Span<UInt8>) throws(ProtocolError) -> Bool {
        if missing == 0 {
            guard bytes[position] == ASCII.star else { return try finishLine(bytes) }
            guard let count = try number(bytes, .invalidMultibulkLength, .tooBigMultibulkCount) else { return false }
            if count > limits.arguments { throw .invalidMultibulkLength }
            if count <= 0 {
                found.end = position
                return true
            }
            missing = count
        }
        while missing > 0 {
            guard let length = try wordLength(bytes), bytes.count - position >= length + 2 else { return false }
            found.words.append(Batch.Word(start: position, count: length))
            position += length + 2
            self.length = nil
            missing -= 1
        }
        let name = found.words[found.completeWords]
        found.extents.append(Batch.Extent(name: CommandName(bytes, name.start, name.count), end: found.words.count))
        found.end = position
        return true
    }

    private mutating func wordLength(_ bytes: Span<UInt8>) throws(ProtocolError) -> Int? {
        if let length { return length }
        guard position < bytes.count else { return nil }
        if bytes[position] != ASCII.dollar { throw .expectedDollar(bytes[position]) }
        guard let length = try number(bytes, .invalidBulkLength, .tooBigBulkCount) else { return nil }
        guard length >= 0, length <= limits.bytes - (position - found.end) else { throw .invalidBulkLength }
        self.length = length
        return length
    }

    /// Reads the number after the first byte of a line. Returns `nil` if the line's end has not arrived.
    private mutating func number(
        _ bytes: Span<UInt8>,
        _ invalid: @autoclosure () -> ProtocolError,
        _ tooLong: @autoclosure () -> ProtocolError
    ) throws(ProtocolError) -> Int? {
        if let (number, end) = Decimal.read(bytes, position + 1), end + 1 < bytes.count {
            position = end + 2
            return number
        }
        let end = find(ASCII.carriageReturn, in: bytes)
        // Fails even if the line's end has not arrived, because the result must not depend on how the stream is split.
        if (end ?? bytes.count) - position > limits.line { throw tooLong() }
        guard let end, end + 1 < bytes.count else { return nil }
        guard let number = Decimal.parse(bytes, position + 1, end) else { throw invalid() }
        position = end + 2
        return number
    }

    private mutating func find(_ byte: UInt8, in bytes: Span<UInt8>) -> Int? {
        var index = max(position, searched)
        while index < bytes.count, bytes[index] != byte { index += 1 }
        searched = index
        return index < bytes.count ? index : nil
    }

    /// Reads an inline request: one line of words.
    private mutating func finishLine(_ bytes: Span<UInt8>) throws(ProtocolError) -> Bool {
        let end = find(ASCII.lineFeed, in: bytes)
        if (end ?? bytes.count) - position > min(limits.line, limits.bytes) { throw .tooBigInlineRequest }
        guard let end else { return false }
        let first = found.words.count
        let hasReturn = end > position && bytes[end - 1] == ASCII.carriageReturn
        try QuotedWords.split(bytes, position, hasReturn ? end - 1 : end, into: &found)
        position = end + 1
        if found.words.count - first > limits.arguments { throw .tooBigInlineRequest }
        if found.words.count > first {
            let name = CommandName(found.unquoted.span, -1 - found.words[first].start, found.words[first].count)
            found.extents.append(Batch.Extent(name: name, end: found.words.count))
        }
        found.end = position
        return true
    }
}
