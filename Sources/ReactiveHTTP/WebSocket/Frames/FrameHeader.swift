// SPDX-License-Identifier: MIT
#if HTTP
    /// The kind of a frame (RFC 6455 section 5.2).
    enum Opcode: UInt8, Sendable {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        var isControl: Bool { rawValue >= 0x8 }
    }

    /// The head of a frame (RFC 6455 section 5.2).
    struct FrameHeader: Sendable, Equatable {
        var opcode: Opcode
        /// Whether the frame ends its message.
        var isFinal = true
        /// RSV1: the message is compressed (RFC 7692 section 6). Only the first frame of a message has it.
        var isCompressed = false
        var length: Int
        /// The key of a client's frame.
        var mask: MaskingKey?

        /// The maximum length of a head.
        static let limit = 14
        /// The maximum number of payload bytes of a control frame.
        static let controlLimit = 125
    }
#endif
