import ReactiveSockets

/// The requests that have become complete with one chunk, in place: nothing of them has been copied or cut out.
final class Batch: Sendable {
    /// Where a word of a request lies.
    struct Word: Sendable {
        /// From the first byte on; a word that had to be unquoted lies in `unquoted`, and has its place there counted down from -1.
        var start: Int
        var count: Int
    }

    /// A request: its command, and where its words end.
    struct Extent: Sendable {
        let name: CommandName
        let end: Int
    }

    private let bytes: Bytes
    private let unquoted: Bytes
    private let words: [Word]
    let extents: [Extent]
    /// What came behind the last request, if that is no request.
    let error: ProtocolError?

    /// Whether there is nothing to answer.
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
