/// Cuts chunks into frames: the state of one subscription, and no signals.
///
/// A frame within a chunk is a part of it. Only what a chunk leaves unfinished is copied, so that a few bytes do not keep a
/// large slab; the frame goes on growing there.
struct FrameCutter {
    private let framing: Framing
    private let limit: Int

    /// The present chunk, and how much of it has been cut.
    private var chunk = Bytes()
    private var offset = 0
    /// The beginning of the present frame, where it came with earlier chunks; and how many bytes of this chunk are in it.
    private var partial = PartialFrame()
    private var copied = 0
    /// What a closure has said about the present frame.
    private var frame: (payload: Range<Int>, length: Int)?
    private var wanted = 1

    /// A copy that is made ahead of what is asked for has at least so many bytes.
    private static let leastStep = 256

    init(_ framing: Framing, limit: Int) {
        self.framing = framing
        self.limit = max(0, limit)
    }

    /// Whether the chunk has been used up.
    var needsChunk: Bool { offset == chunk.count }

    /// Gives it the next chunk; the last one has to be used up.
    mutating func add(_ next: Bytes) {
        chunk = next
        offset = 0
        copied = 0
    }

    /// The next frame, or nil where that takes another chunk.
    mutating func next() throws(SocketError) -> Bytes? {
        if needsChunk { return nil }
        switch framing.rule {
        case .delimiter(let delimiter):
            return try partial.count == 0 ? cut(at: delimiter) : complete(at: delimiter)
        case .lengthPrefix(let prefix):
            if partial.count == 0, frame == nil, let whole = cut(by: prefix) { return whole }
            return try cut(prefix.width) { (buffered: Bytes) throws(SocketError) in try prefix.decide(buffered) }
        case .decision(let decide):
            return try cut(0, decide)
        }
    }

    /// What is left at the end of the stream, if that is a frame; nil where nothing is left.
    mutating func end() throws(SocketError) -> Bytes? {
        if partial.count == 0 { return nil }
        guard case .delimiter = framing.rule else {
            throw SocketError(.incompleteFrame, "the stream ended after \(partial.count) bytes of a frame")
        }
        // A line's `\r` at the limit was let through for the `\n` that has not come.
        if partial.count > limit { throw tooLong(partial.count) }
        let last = partial.bytes
        clear()
        return last
    }

    /// Lets go of everything.
    mutating func clear() {
        partial.clear()
        add(Bytes())
    }

    private func tooLong(_ length: Int) -> SocketError {
        let found = length == .max ? "no end" : "\(length) bytes or more"
        return SocketError(.frameTooLong, "a frame of \(found): the limit is \(limit)")
    }

    // MARK: Delimiters

    /// A frame that begins in this chunk.
    private mutating func cut(at delimiter: Delimiter) throws(SocketError) -> Bytes? {
        guard let end = chunk.offset(of: delimiter, from: offset) else {
            try keepRest(delimiter)
            return nil
        }
        let payload = delimiter.payload(of: chunk, from: chunk.startIndex + offset, end - offset)
        if payload > limit { throw tooLong(payload) }
        let frame = chunk.part(offset..<offset + payload)
        offset = end + delimiter.count
        return frame
    }

    /// A frame that has begun before. What was searched for the delimiter is not searched again, but for its last bytes,
    /// with which one may begin.
    private mutating func complete(at delimiter: Delimiter) throws(SocketError) -> Bytes? {
        let before = partial.count
        let seam = min(delimiter.count - 1, chunk.count - offset)
        if seam > 0 {
            partial.append(chunk, offset..<offset + seam, ceiling: delimiter.bound(limit))
            if let end = partial.bytes.offset(of: delimiter, from: max(0, before - delimiter.count + 1)) {
                offset += end + delimiter.count - before
                return try take(end, delimiter)
            }
            copied = seam
        }
        guard let end = chunk.offset(of: delimiter, from: offset) else {
            try keepRest(delimiter)
            return nil
        }
        let length = before + end - offset
        // One byte more may be a line's `\r`.
        if length > delimiter.bound(limit) { throw tooLong(length) }
        if end > offset + copied {
            partial.append(chunk, offset + copied..<end, ceiling: delimiter.bound(limit))
        }
        offset = end + delimiter.count
        copied = 0
        return try take(length, delimiter)
    }

    /// The first `length` bytes of what has been copied, as a frame.
    private mutating func take(_ length: Int, _ delimiter: Delimiter) throws(SocketError) -> Bytes {
        let all = partial.bytes
        partial.clear()
        let payload = delimiter.payload(of: all, from: 0, length)
        if payload > limit { throw tooLong(payload) }
        return all.part(0..<payload).compacted()
    }

    /// There is no delimiter in the rest of the chunk: it is the beginning of a frame, or more of one.
    private mutating func keepRest(_ delimiter: Delimiter) throws(SocketError) {
        let length = partial.count - copied + chunk.count - offset
        if length >= delimiter.bound(limit) { throw tooLong(length) }
        partial.append(chunk, offset + copied..<chunk.count, ceiling: delimiter.bound(limit))
        add(Bytes())
        if !delimiter.mayEnd(partial.bytes, within: limit) { throw tooLong(length) }
    }

    // MARK: Length prefixes

    /// A frame that lies in the chunk with all it has; the others, and what is wrong, are a decision's matter.
    private mutating func cut(by prefix: LengthPrefix) -> Bytes? {
        guard
            let length = chunk.bits(at: chunk.startIndex + offset, prefix.width, prefix.order),
            length <= UInt64(clamping: limit), let payload = prefix.payload(length),
            payload <= chunk.count - offset - prefix.width
        else { return nil }
        let start = offset + prefix.width
        offset = start + payload
        return chunk.part(start..<offset)
    }

    // MARK: Decisions

    private mutating func cut(
        _ overhead: Int,
        _ decide: (Bytes) throws(SocketError) -> Framing.Decision
    ) throws(SocketError) -> Bytes? {
        let ceiling = overhead > Int.max - limit ? Int.max : limit + overhead
        if wanted > ceiling { throw tooLong(wanted) }
        while true {
            let isWithin = partial.count == 0
            // No more than a frame may have: what it says is not to depend on where the stream was cut.
            let end = frame == nil && chunk.count - offset > ceiling ? offset + ceiling : chunk.count
            let buffered = isWithin ? chunk.part(offset..<end) : partial.bytes
            if frame == nil, buffered.count >= wanted { try ask(decide, buffered, ceiling) }
            if let frame, buffered.count >= frame.length { return cutOut(frame.payload, frame.length, of: buffered) }
            // What is known to be wanted, or a good step towards what is not: a closure is not to be asked for each byte.
            let missing = wanted - buffered.count
            let step = frame != nil ? missing : max(missing, buffered.count, Self.leastStep)
            let available = chunk.count - offset - copied
            let count = isWithin ? available : min(step, available, max(missing, ceiling - buffered.count))
            if count > 0 {
                let start = offset + copied
                partial.append(chunk, start..<start + count, ceiling: frame?.length ?? ceiling)
                copied += count
            }
            if isWithin || count == 0 {
                add(Bytes())
                return nil
            }
        }
    }

    private mutating func ask(
        _ decide: (Bytes) throws(SocketError) -> Framing.Decision,
        _ buffered: Bytes,
        _ ceiling: Int
    ) throws(SocketError) {
        switch try decide(buffered) {
        case .incomplete(let least):
            wanted = max(least, buffered.count + 1)
            if wanted > ceiling { throw tooLong(wanted) }
        case .frame(let payload, let length):
            precondition(
                length > 0 && payload.lowerBound >= 0 && payload.upperBound <= length,
                "a framing's closure made a frame of \(length) bytes with the payload \(payload)"
            )
            if length > ceiling { throw tooLong(length == .max ? length : payload.count) }
            frame = (payload, length)
            wanted = length
        }
    }

    private mutating func cutOut(_ payload: Range<Int>, _ length: Int, of buffered: Bytes) -> Bytes {
        frame = nil
        wanted = 1
        if partial.count == 0 {
            offset += length
            return buffered.part(payload)
        }
        // Of what was copied some may be behind the frame: it is in the chunk, too, or it came before and is copied again.
        let before = partial.count - copied
        partial.clear()
        offset += max(0, length - before)
        copied = 0
        if length < before { partial.append(buffered, length..<before, ceiling: .max) }
        return buffered.part(payload).compacted()
    }
}
