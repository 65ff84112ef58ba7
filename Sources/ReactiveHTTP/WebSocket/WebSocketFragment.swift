// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSockets

    /// A part of a message, as it arrived. A message is one or more fragments in order.
    ///
    /// The cuts between fragments have no meaning: they depend on the frames of the peer, and on how the network
    /// delivers them. A cut may separate the bytes of a character.
    public struct WebSocketFragment: Sendable, Hashable {
        /// What a message contains.
        public enum Kind: Sendable, Hashable {
            /// UTF-8, which has been validated up to the end of this fragment.
            case text
            /// Bytes without further meaning to the protocol.
            case binary
        }

        /// What the message contains.
        public let kind: Kind
        /// The bytes. The last fragment may be empty.
        public let bytes: Bytes
        /// Whether the message begins here.
        public let isFirst: Bool
        /// Whether the message ends here.
        public let isLast: Bool

        /// Creates a fragment.
        public init(_ kind: Kind, _ bytes: Bytes, isFirst: Bool, isLast: Bool) {
            self.kind = kind
            self.bytes = bytes
            self.isFirst = isFirst
            self.isLast = isLast
        }
    }
#endif
