// SPDX-License-Identifier: MIT
import ReactiveSockets

/// Splits a stream's chunks into batches of requests: `received.scanMap(into: RequestParser(limits)) { $0.read($1) }`.
///
/// Requests within one chunk are not copied. A request that spans chunks is copied once. The parser buffers at most the
/// limit of a request and one chunk.
struct RequestParser: Sendable {
    private var scanner: RequestScanner
    /// The beginning of an incomplete request.
    private var partial: [UInt8] = []
    private var isBroken = false

    /// The number of buffered bytes.
    var heldCount: Int { partial.count }

    init(_ limits: RequestLimits) {
        scanner = RequestScanner(limits)
    }

    /// Returns the requests that a chunk completes. There may be none.
    ///
    /// After an error, the parser ignores all bytes.
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
        // The buffer is moved out of `self`, because the scanner is part of `self` and changes while it reads the
        // bytes.
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
