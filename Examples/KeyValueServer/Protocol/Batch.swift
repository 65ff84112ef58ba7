// SPDX-License-Identifier: MIT
import ReactiveSockets

/// The requests that one chunk completes. Each request is a list of positions in the chunk, so no word is copied.
final class Batch: Sendable {
    /// The position of a word.
    struct Word: Sendable {
        /// The offset in `bytes`. A negative value `-1 - n` means the offset `n` in `unquoted`.
        var start: Int
        var count: Int
    }

    /// A request: its command, and the index after its last word.
    struct Extent: Sendable {
        let name: CommandName
        let end: Int
    }

    private let bytes: Bytes
    private let unquoted: Bytes
    private let words: [Word]
    let extents: [Extent]
    /// The error after the last request, if the bytes there are not a request.
    let error: ProtocolError?

    /// Whether there is neither a request nor an error.
    var isEmpty: Bool { extents.isEmpty && error == nil }

    static let empty = Batch(Bytes(), RequestScanner.Found())

    init(_ bytes: Bytes, _ found: RequestScanner.Found) {
        self.bytes = bytes
        unquoted = Bytes(found.unquoted)
        words = found.words
        extents = found.extents
        error = found.error
    }

    @inline(__always)
    subscript(word: Int) -> Bytes {
        let place = words[word]
        if place.start >= 0 {
            let start = bytes.startIndex + place.start
            return bytes[start..<start + place.count]
        }
        let start = -1 - place.start
        return unquoted[start..<start + place.count]
    }
}
