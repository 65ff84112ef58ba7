// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSupport

    /// How a WebSocket compresses its messages with the extension permessage-deflate (RFC 7692).
    ///
    /// Both peers must agree to it. With the defaults a connection owns about 256 KiB for sending, from its first
    /// compressed message on, and about 40 KiB for receiving. Without context takeover it owns them only during a message.
    public struct WebSocketCompression: Sendable, Hashable {
        /// The effort, from 1 (fastest) to 9 (smallest).
        public var level = 6
        /// The memory for sending, from 1 to 9. It is `2^(sendWindowBits + 2) + 2^(memoryLevel + 9)` bytes.
        public var memoryLevel = 8
        /// Messages with fewer bytes are sent without compression.
        public var minimumBytes = 128
        /// Whether a sent message may refer to earlier ones. It makes similar messages much smaller. If the peer forbids
        /// it, no message does.
        public var keepsSendContext = true
        /// Whether received messages may refer to earlier ones. If this is false, a server
        /// forbids it to its clients, and a client asks the server not to do it.
        public var keepsReceiveContext = true
        /// The logarithm of the window for sending, from 9 to 15. A peer may reduce it.
        public var sendWindowBits = 15
        /// The logarithm of the window for receiving, from 9 to 15. If a client cannot limit its window, a server does not
        /// limit it. If a server cannot, it declines the compression.
        public var receiveWindowBits = 15

        /// Creates the default settings.
        public init() {}

        /// Checks the ranges. A value outside its range traps.
        func check() {
            require((1...9).contains(level), "cannot compress with the level \(level): use 1 to 9")
            require(
                (1...9).contains(memoryLevel),
                "cannot compress with the memory level \(memoryLevel): use 1 to 9"
            )
            require(
                (9...15).contains(sendWindowBits),
                "cannot send with \(sendWindowBits) window bits: use 9 to 15"
            )
            require(
                (9...15).contains(receiveWindowBits),
                "cannot receive with \(receiveWindowBits) window bits: use 9 to 15"
            )
        }
    }
#endif
