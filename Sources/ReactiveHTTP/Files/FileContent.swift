// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSignals
    import ReactiveSockets

    /// A body of ranges of a file, with bytes between them.
    final class FileContent: Sendable {
        enum Part: Sendable {
            case bytes(Bytes)
            case file(Range<Int>)

            var count: Int {
                switch self {
                case .bytes(let bytes): bytes.count
                case .file(let range): range.count
                }
            }
        }

        /// The maximum number of bytes of one read.
        private static let readLimit = 64 * 1024

        let file: OpenFile
        let parts: [Part]
        /// The number of bytes of all parts.
        let length: Int

        init(_ file: OpenFile, _ parts: [Part]) {
            self.file = file
            self.parts = parts
            length = parts.reduce(0) { $0 + $1.count }
        }

        /// All bytes, read while they are sent, at most 64 KiB at a time. A pause stops reading.
        ///
        /// Fails with `lengthMismatch` if the file has become shorter, and with `sourceFailed` if it cannot be read.
        var signal: Signal<Bytes, HTTPError> {
            Signal<Part, HTTPError>(values: FileSteps(parts, limit: Self.readLimit)).attemptMap {
                [self] part throws(HTTPError) in try read(part)
            }
        }

        private func read(_ part: Part) throws(HTTPError) -> Bytes {
            switch part {
            case .bytes(let bytes): return bytes
            case .file(let range): return try read(range)
            }
        }

        /// Reads a range at once.
        private func read(_ range: Range<Int>) throws(HTTPError) -> Bytes {
            do throws(SystemFailure) {
                let bytes = try file.read(at: range.lowerBound, atMost: range.count)
                if bytes.count == range.count { return bytes }
            } catch {
                throw HTTPError(.sourceFailed, "a file cannot be read: errno \(error.errno)", cause: error)
            }
            throw HTTPError(.lengthMismatch, "a file has become shorter while it was being sent")
        }

        /// All bytes, read now.
        func collected() throws(HTTPError) -> Bytes {
            var all: [Bytes] = []
            for part in parts { all.append(try read(part)) }
            return all.count == 1 ? all[0] : Bytes(joining: all)
        }
    }

    /// The parts of a content, in pieces that one call reads.
    struct FileSteps: Sequence, IteratorProtocol, Sendable {
        private let parts: [FileContent.Part]
        private let limit: Int
        private var index = 0
        /// The offset in the current range.
        private var offset = 0

        init(_ parts: [FileContent.Part], limit: Int) {
            self.parts = parts
            self.limit = limit
        }

        mutating func next() -> FileContent.Part? {
            while index < parts.count {
                switch parts[index] {
                case .bytes(let bytes):
                    index += 1
                    if !bytes.isEmpty { return .bytes(bytes) }
                case .file(let range):
                    let start = range.lowerBound + offset
                    let end = Swift.min(start + limit, range.upperBound)
                    (index, offset) = end == range.upperBound ? (index + 1, 0) : (index, end - range.lowerBound)
                    if start < end { return .file(start..<end) }
                }
            }
            return nil
        }
    }
#endif
