// SPDX-License-Identifier: MIT
/// Cuts chunks into frames. Each subscription has its own cutter, which does not depend on signals.
///
/// A frame within one chunk is a slice of that chunk. Only an unfinished frame is copied, so that a few bytes do not
/// keep a large slab in memory.
struct FrameCutter {
    private let framing: Framing
    private let limit: Int

    /// The current chunk, and the number of bytes that have been cut from it.
    private var chunk = Bytes()
    private var offset = 0
    /// A copy of the beginning of the current frame, if the frame spans chunks, and the number of bytes of the current
    /// chunk in that copy.
    private var partial = PartialFrame()
    private var copied = 0
    /// The closure's decision about the current frame.
    private var frame: FrameBounds?
    private var wanted = 1

    /// The minimum number of bytes to copy before the closure is called again.
    private static let leastStep = 256

    init(_ framing: Framing, limit: Int) {
        self.framing = framing
        self.limit = max(0, limit)
    }

    /// Whether the whole chunk has been cut.
    var needsChunk: Bool { offset == chunk.count }

    /// Adds the next chunk. All bytes of the previous one must have been cut.
    mutating func add(_ next: Bytes) {
        chunk = next
        offset = 0
        copied = 0
    }

    /// The next frame, or nil if it needs another chunk.
    ///
    /// - Throws: `frameTooLong` if the frame exceeds the limit, `malformed` if a length or the trailer is invalid, or the
    ///   error that the framing's closure throws.
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

    /// The unterminated last frame at end of stream, or nil if no bytes remain.
    ///
    /// - Throws: `incompleteFrame` unless the framing uses delimiters. `frameTooLong` if the frame exceeds the limit.
    mutating func end() throws(SocketError) -> Bytes? {
        if partial.count == 0 { return nil }
        guard case .delimiter = framing.rule else {
            throw SocketError(
                .incompleteFrame,
                "cannot complete a frame: the stream ended after \(partial.count) bytes of it"
            )
        }
        // `keepRest` accepts one `\r` more than the limit, because a `\n` could have followed.
        if partial.count > limit { throw tooLong(partial.count) }
        let last = partial.bytes
        clear()
        return last
    }

    /// Releases all bytes.
    mutating func clear() {
        partial.clear()
        add(Bytes())
    }

    private func tooLong(_ length: Int) -> SocketError {
        SocketError(
            .frameTooLong,
            "cannot receive a frame with \(length) bytes or more: the limit is \(limit) bytes"
        )
    }

    // MARK: Delimiters

    /// Cuts a frame that begins in this chunk.
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

    /// Completes a frame that began in an earlier chunk. Of the earlier bytes, it searches only those in which the
    /// delimiter may begin.
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
        // The bound includes a line's `\r`.
        if length > delimiter.bound(limit) { throw tooLong(length) }
        if end > offset + copied {
            partial.append(chunk, offset + copied..<end, ceiling: delimiter.bound(limit))
        }
        offset = end + delimiter.count
        copied = 0
        return try take(length, delimiter)
    }

    /// The first `length` copied bytes as a frame.
    private mutating func take(_ length: Int, _ delimiter: Delimiter) throws(SocketError) -> Bytes {
        let all = partial.bytes
        partial.clear()
        let payload = delimiter.payload(of: all, from: 0, length)
        if payload > limit { throw tooLong(payload) }
        return all.part(0..<payload).compacted()
    }

    /// Copies the rest of the chunk, which contains no delimiter, as the beginning or continuation of a frame.
    private mutating func keepRest(_ delimiter: Delimiter) throws(SocketError) {
        let length = partial.count - copied + chunk.count - offset
        if length >= delimiter.bound(limit) { throw tooLong(length) }
        partial.append(chunk, offset + copied..<chunk.count, ceiling: delimiter.bound(limit))
        add(Bytes())
        if !delimiter.mayEnd(partial.bytes, within: limit) { throw tooLong(length) }
    }

    // MARK: Length prefixes

    /// Cuts a frame that lies completely within the chunk. Returns nil for all other frames, and for invalid ones.
    /// `decide` handles those.
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
            // The closure sees at most the longest allowed frame, so its decision does not depend on chunk boundaries.
            let end = frame == nil && chunk.count - offset > ceiling ? offset + ceiling : chunk.count
            let buffered = isWithin ? chunk.part(offset..<end) : partial.bytes
            if frame == nil, buffered.count >= wanted { try ask(decide, buffered, ceiling) }
            if let frame, buffered.count >= frame.length { return try cutOut(frame, of: buffered) }
            // Copies the missing bytes, or a larger step if the length is unknown, so that the closure is not called
            // for each byte.
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
        let decision = try decide(buffered)
        switch decision.kind {
        case .incomplete(nil): wanted = buffered.count + 1
        case .incomplete(let least?):
            guard least > buffered.count else {
                let requirement = "and must return a larger number or .incomplete"
                throw decision.failure(" when \(buffered.count) bytes had arrived, \(requirement)")
            }
            wanted = least
        case .frame(let parts):
            let bounds = try FrameBounds(parts, ceiling: ceiling, limit: limit)
            frame = bounds
            wanted = bounds.length
        }
        if wanted > ceiling { throw tooLong(wanted) }
    }

    private mutating func cutOut(_ bounds: FrameBounds, of buffered: Bytes) throws(SocketError) -> Bytes {
        try bounds.checkTrailer(of: buffered)
        let length = bounds.length
        frame = nil
        wanted = 1
        if partial.count == 0 {
            offset += length
            return buffered.part(bounds.value)
        }
        // The copy may contain bytes after the frame. Those from the current chunk are still in the chunk, and the next
        // cut finds them there. Those from earlier chunks begin a new partial frame.
        let before = partial.count - copied
        partial.clear()
        offset += max(0, length - before)
        copied = 0
        if length < before { partial.append(buffered, length..<before, ceiling: .max) }
        return buffered.part(bounds.value).compacted()
    }
}
