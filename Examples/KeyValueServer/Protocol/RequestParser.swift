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

    init(_ limits: RequestLimits) {
        scanner = RequestScanner(limits)
    }

    /// Takes a chunk, and gives the requests that it completes; nil where it completes none.
    ///
    /// What comes behind something that is no request is not looked at.
    mutating func read(_ chunk: Bytes) -> Batch? {
        if isBroken { return nil }
        return partial.isEmpty ? readWhole(chunk) : readFurther(chunk)
    }

    private mutating func readWhole(_ chunk: Bytes) -> Batch? {
        let found = chunk.withSpan { scanner.scan($0) }
        if found.error != nil {
            isBroken = true
        } else if found.end < chunk.count {
            partial = Array(chunk.dropFirst(found.end))
        }
        return batch(chunk, found)
    }

    private mutating func readFurther(_ chunk: Bytes) -> Batch? {
        partial.append(contentsOf: chunk)
        var buffer: [UInt8] = []
        swap(&buffer, &partial)
        let found = scanner.scan(buffer.span)
        if found.error != nil {
            isBroken = true
        } else if found.end == 0 {
            swap(&buffer, &partial)
            return nil
        } else {
            partial = Array(buffer[found.end...])
        }
        return batch(Bytes(buffer), found)
    }

    private func batch(_ bytes: Bytes, _ found: RequestScanner.Found) -> Batch? {
        found.extents.isEmpty && found.error == nil ? nil : Batch(bytes, found)
    }
}
