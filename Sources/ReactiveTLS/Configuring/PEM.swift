// SPDX-License-Identifier: MIT
#if TLS
    public import ReactiveSockets

    /// Where certificates or a private key come from: a file or memory, in PEM format (RFC 7468).
    public struct PEM: Sendable, Hashable {
        enum Source: Sendable, Hashable {
            case file(String)
            case text([UInt8])
        }

        let source: Source

        /// The contents of a file, which is read when a ``TLSContext`` is created.
        public static func file(_ path: String) -> PEM { PEM(source: .file(path)) }

        /// Text in memory.
        public static func text(_ text: Bytes) -> PEM { PEM(source: .text(Array(text))) }

        /// How messages name the source.
        var name: String {
            switch source {
            case .file(let path): path
            case .text: "the text in memory"
            }
        }
    }
#endif
