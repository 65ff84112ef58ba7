import ReactiveSockets

/// Makes batches of requests of a stream's chunks: `received.scanMap(into: RequestParser(limits)) { $0.read($1) }`.
///
/// Requests that lie in one chunk stay where they are. One that lies in several is copied together once, into memory of its own,
/// and at most the limit of a request and a chunk is kept.
struct RequestParser: Sendable {
    private var scanner: RequestScanner
    /// The beginning of a request whose rest has not come.
    private var partial: [UInt8] = []
    private var isBroken = false

    /// How many bytes of it there are.
    var heldCount: Int { partial.count }

    init(_ limits: RequestLimits) {
        scanner = RequestScanner(limits)
    }

    /// Takes a chunk, and gives the requests that it completes, which may be none.
    ///
    /// What comes behind something that is no request is not looked at.
    mutating func read(_ chunk: Bytes) -> Batch {
        if isBroken { return .empty }
        return partial.isEmpty ? readWhole(chunk) : readFurther(chunk)
    }

    private mutating func readWhole(_ chunk: Bytes) -> Batch {
        chunk.withSpan { scanner.scan($0) }
        let end = scanner.found.end
        if end < chunk.count { partial = Array(chunk.dropFirst(end)) }
        return batch(chunk)
    }

    private mutating func readFurther(_ chunk: Bytes) -> Batch {
        partial.append(contentsOf: chunk)
        // Taken out, so that it is not read and the scanner changed through one and the same variable.
        var buffer: [UInt8] = []
        swap(&buffer, &partial)
        scanner.scan(buffer.span)
        let end = scanner.found.end
        if end == 0 {
            swap(&buffer, &partial)
            return batch(Bytes())
        }
        partial = Array(buffer[end...])
        return batch(Bytes(buffer))
    }

    private mutating func batch(_ bytes: Bytes) -> Batch {
        if scanner.found.error != nil {
            isBroken = true
            partial = []
        } else if scanner.found.extents.isEmpty {
            return .empty
        }
        return Batch(bytes, scanner.found)
    }
}
