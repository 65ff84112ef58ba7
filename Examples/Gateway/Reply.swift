// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// The first line of a reply (RESP2), and the bytes that have arrived behind it.
    struct Reply: Sendable {
        enum Head: Sendable, Equatable {
            /// `+OK`.
            case done
            /// `-ERR text`.
            case refused(String)
            /// `:1`.
            case number(Int)
            /// `$5`. The value follows.
            case value(length: Int)
            /// `$-1`.
            case missing
        }

        var head: Head
        var rest: Bytes
    }

    /// Finds the first line of a reply: `received.scanMap(into: ReplyReader()) { $0.read($1) }`.
    struct ReplyReader: Sendable {
        /// No reply to these commands has a longer line.
        static let lineLimit = 4096

        enum Step: Sendable {
            case incomplete
            case reply(Reply)
            case violation(String)
        }

        private var line: [UInt8] = []

        mutating func read(_ chunk: Bytes) -> Step {
            guard let end = chunk.firstIndex(of: UInt8(ascii: "\n")) else {
                line += chunk
                return line.count > Self.lineLimit ? Self.tooLong : .incomplete
            }
            line += chunk[..<end]
            guard line.count <= Self.lineLimit else { return Self.tooLong }
            guard line.popLast() == UInt8(ascii: "\r"), let head = Self.head(Bytes(line)) else {
                return .violation("the key-value server sent a reply that its protocol does not have")
            }
            return .reply(Reply(head: head, rest: chunk[(end + 1)...]))
        }

        private static let tooLong = Step.violation("the key-value server sent a line of more than \(lineLimit) bytes")

        private static func head(_ line: Bytes) -> Reply.Head? {
            let text = line.dropFirst()
            switch line.first {
            case UInt8(ascii: "+"): return .done
            case UInt8(ascii: "-"): return .refused(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: ":"): return Int(decimal: text).map { .number($0) }
            case UInt8(ascii: "$"):
                if text == "-1" { return .missing }
                return Int(decimal: text).flatMap { $0 < 0 ? nil : .value(length: $0) }
            default: return nil
            }
        }
    }

    /// Cuts a value out of the stream, with the CRLF behind it.
    struct ValueReader: Sendable {
        enum Part: Sendable {
            case bytes(Bytes)
            case last(Bytes)
            case violation

            var isLast: Bool { if case .bytes = self { false } else { true } }
        }

        /// The number of bytes of the value that have not been read.
        private var left: Int
        private var ending: [UInt8] = []

        init(length: Int) {
            left = length
        }

        mutating func read(_ chunk: Bytes) -> Part {
            let bytes = chunk.prefix(left)
            left -= bytes.count
            ending += chunk.dropFirst(bytes.count)
            // The server sends nothing behind a reply before the next command.
            guard "\r\n".utf8.starts(with: ending) else { return .violation }
            return ending.count == 2 ? .last(bytes) : .bytes(bytes)
        }
    }
#endif
