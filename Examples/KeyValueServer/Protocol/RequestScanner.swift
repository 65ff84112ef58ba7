import ReactiveSockets

/// Finds requests in bytes that come piece by piece: arrays of bulk strings, or lines of words.
///
/// It remembers where it is, so a byte is looked at once, however the stream was cut. Positions are counted from the first byte
/// of the request that has not ended.
struct RequestScanner: Sendable {
    private let limits: RequestLimits
    private var position = 0
    /// Words that the request in hand still lacks; 0 before its header has been read.
    private var missing = 0
    /// The length of the word in hand, where that has been read.
    private var length: Int?
    /// Up to here there is no line's end.
    private var searched = 0
    private var openWords: [Batch.Word] = []

    /// What there is in some bytes.
    struct Found {
        var words: [Batch.Word] = []
        var extents: [Batch.Extent] = []
        var unquoted: [UInt8] = []
        /// Where the last complete request ends.
        var end = 0
        var error: ProtocolError?
    }

    init(_ limits: RequestLimits) {
        self.limits = limits
    }

    /// Goes on in `bytes`, which begin with the request that has not ended; returns what is complete.
    mutating func scan(_ bytes: Span<UInt8>) -> Found {
        var found = Found()
        swap(&found.words, &openWords)
        do throws(ProtocolError) {
            while position < bytes.count, try finishRequest(bytes, &found) {}
        } catch {
            found.error = error
        }
        settle(&found)
        return found
    }

    /// What belongs to the request that has not ended stays here, counted from its own beginning.
    private mutating func settle(_ found: inout Found) {
        position -= found.end
        searched = max(0, searched - found.end)
        let complete = found.extents.last?.end ?? 0
        if complete == found.words.count { return }
        openWords = found.words[complete...].map { Batch.Word(start: $0.start - found.end, count: $0.count) }
        found.words.removeSubrange(complete...)
    }

    /// Reads on in the request in hand; false where its rest has not come.
    private mutating func finishRequest(_ bytes: Span<UInt8>, _ found: inout Found) throws(ProtocolError) -> Bool {
        if missing == 0 {
            guard bytes[position] == ASCII.star else { return try finishLine(bytes, &found) }
            guard let count = try number(bytes, .invalidMultibulkLength, .tooBigMultibulkCount) else { return false }
            if count > limits.arguments { throw .invalidMultibulkLength }
            if count <= 0 {
                found.end = position
                return true
            }
            missing = count
        }
        while missing > 0 {
            guard let length = try wordLength(bytes, found.end), bytes.count - position >= length + 2 else {
                return false
            }
            found.words.append(Batch.Word(start: position, count: length))
            position += length + 2
            self.length = nil
            missing -= 1
        }
        let first = found.extents.last?.end ?? 0
        let name = CommandName(bytes, found.words[first].start, found.words[first].count)
        found.extents.append(Batch.Extent(name: name, end: found.words.count))
        found.end = position
        return true
    }

    private mutating func wordLength(_ bytes: Span<UInt8>, _ begin: Int) throws(ProtocolError) -> Int? {
        if let length { return length }
        guard position < bytes.count else { return nil }
        if bytes[position] != ASCII.dollar { throw .expectedDollar(bytes[position]) }
        guard let length = try number(bytes, .invalidBulkLength, .tooBigBulkCount) else { return nil }
        guard length >= 0, length <= limits.bytes - (position - begin) else { throw .invalidBulkLength }
        self.length = length
        return length
    }

    /// The number in the line that begins with one other byte; nil where the line's end has not come.
    private mutating func number(
        _ bytes: Span<UInt8>,
        _ invalid: ProtocolError,
        _ tooLong: ProtocolError
    ) throws(ProtocolError) -> Int? {
        guard let end = find(ASCII.carriageReturn, in: bytes), end + 1 < bytes.count else {
            if bytes.count - position > limits.line { throw tooLong }
            return nil
        }
        guard let number = Decimal.parse(bytes, position + 1, end) else { throw invalid }
        position = end + 2
        return number
    }

    private mutating func find(_ byte: UInt8, in bytes: Span<UInt8>) -> Int? {
        var index = max(position, searched)
        while index < bytes.count, bytes[index] != byte { index += 1 }
        searched = index
        return index < bytes.count ? index : nil
    }

    /// A request in a line of its own, as somebody types it.
    private mutating func finishLine(_ bytes: Span<UInt8>, _ found: inout Found) throws(ProtocolError) -> Bool {
        guard let end = find(ASCII.lineFeed, in: bytes) else {
            if bytes.count - position > limits.line { throw .tooBigInlineRequest }
            return false
        }
        let first = found.words.count
        let hasReturn = end > position && bytes[end - 1] == ASCII.carriageReturn
        try QuotedWords.split(bytes, position, hasReturn ? end - 1 : end, into: &found)
        position = end + 1
        if found.words.count > first {
            let word = found.words[first]
            let name = CommandName(found.unquoted.span, -1 - word.start, word.count)
            found.extents.append(Batch.Extent(name: name, end: found.words.count))
        }
        found.end = position
        return true
    }
}
