// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// Decodes the frames of a WebSocket, strictly by RFC 6455 section 5.
    ///
    /// Feed it with chunks of any size, and take parts until there is none. The payload of a data frame is returned as it
    /// arrives, and that of a control frame at once. Which bytes are valid does not depend on the chunks.
    struct FrameDecoder: Sendable {
        /// A part of a frame.
        struct Part: Sendable, Equatable {
            let header: FrameHeader
            /// Without the mask. Empty only for a frame without a payload.
            let payload: Bytes
            /// Whether the frame begins, or ends, with this part.
            let isFirst: Bool
            let isLast: Bool
        }

        /// Whether the peer must mask its frames: it is a client.
        let expectsMask: Bool
        /// Whether RSV1 is allowed: the extension permessage-deflate has been negotiated.
        let allowsCompression: Bool
        /// The maximum length of a data frame.
        let frameLimit: Int

        private enum State: Sendable {
            case head
            case payload(FrameHeader, received: Int)
            // Indirect, because an idle WebSocket has room for each case.
            indirect case failed(WebSocketError)
        }

        private var state = State.head
        private var input = Bytes()
        /// The beginning of a head or a control frame whose end has not arrived.
        private var partial: [UInt8] = []
        /// Whether a message has begun and needs a continuation.
        private var isInsideMessage = false

        init(expectsMask: Bool, allowsCompression: Bool, frameLimit: Int?) {
            self.expectsMask = expectsMask
            self.allowsCompression = allowsCompression
            self.frameLimit = frameLimit ?? .max
        }

        /// Appends received bytes. The decoder shares their memory until it has read them.
        mutating func feed(_ bytes: Bytes) {
            input = input.isEmpty ? bytes : Bytes(joining: [input, bytes])
        }

        /// The number of bytes that have been fed and not read.
        var unreadCount: Int { input.count }

        /// Drops the bytes that have not been read.
        mutating func clear() { input = Bytes() }

        /// Returns the next part, or `nil` if more bytes are needed.
        ///
        /// - Throws: `protocolViolation` or `messageTooLarge`. Each later call throws the error again.
        mutating func next() throws(WebSocketError) -> Part? {
            do throws(WebSocketError) {
                switch state {
                case .head:
                    guard let header = try readHead() else { return nil }
                    if !header.opcode.isControl { isInsideMessage = !header.isFinal }
                    return readPayload(header, received: 0)
                case .payload(let header, let received): return readPayload(header, received: received)
                case .failed(let failure): throw failure
                }
            } catch {
                state = .failed(error)
                input = Bytes()
                partial = []
                throw error
            }
        }

        // MARK: Payloads

        private mutating func readPayload(_ header: FrameHeader, received: Int) -> Part? {
            state = .payload(header, received: received)
            let rest = header.length - received
            if header.opcode.isControl, rest > input.count || !partial.isEmpty {
                return readControl(header, received: received)
            }
            if rest > 0, input.isEmpty { return nil }
            let payload = take(min(rest, input.count))
            let total = received + payload.count
            let isLast = total == header.length
            state = isLast ? .head : .payload(header, received: total)
            return Part(
                header: header,
                payload: unmasked(payload, header.mask, after: received),
                isFirst: received == 0,
                isLast: isLast
            )
        }

        /// Collects the payload of a control frame that several chunks share.
        private mutating func readControl(_ header: FrameHeader, received: Int) -> Part? {
            let bytes = take(min(header.length - received, input.count))
            partial.append(contentsOf: bytes)
            let total = received + bytes.count
            guard total == header.length else {
                state = .payload(header, received: total)
                return nil
            }
            let payload = unmasked(Bytes(partial), header.mask, after: 0)
            partial = []
            state = .head
            return Part(header: header, payload: payload, isFirst: true, isLast: true)
        }

        /// Safe: both pointers are used during their closures.
        private func unmasked(_ bytes: Bytes, _ mask: MaskingKey?, after offset: Int) -> Bytes {
            guard let mask, !bytes.isEmpty else { return bytes }
            return unsafe Bytes(capacity: bytes.count) { target in
                unsafe bytes.withUnsafeBytes { unsafe mask.advanced(by: offset).apply($0, to: target) }
                return bytes.count
            }
        }

        private mutating func take(_ count: Int) -> Bytes {
            if count == 0 { return Bytes() }
            if count == input.count {
                defer { input = Bytes() }
                return input
            }
            let bytes = input.prefix(count)
            input = input.dropFirst(count)
            return bytes
        }

        // MARK: Heads

        private mutating func readHead() throws(WebSocketError) -> FrameHeader? {
            if partial.isEmpty {
                if input.isEmpty { return nil }
                guard let (header, count) = try head(HeadBytes(input)) else {
                    partial.append(contentsOf: input)
                    input = Bytes()
                    return nil
                }
                input = count == input.count ? Bytes() : input.dropFirst(count)
                return header
            }
            // The head ends within the limit, so at most this many bytes are copied.
            let added = input.prefix(FrameHeader.limit - partial.count)
            let before = partial.count
            partial.append(contentsOf: added)
            guard let (header, count) = try head(HeadBytes(Bytes(partial))) else {
                input = Bytes()
                return nil
            }
            partial = []
            input = input.dropFirst(count - before)
            return header
        }

        /// The first bytes of a frame, as two numbers: the first byte has the lowest bits.
        private struct HeadBytes {
            let count: Int
            private var low: UInt64 = 0
            private var high: UInt64 = 0

            /// Safe: the loads are within the counts that have been checked.
            init(_ bytes: Bytes) {
                count = min(bytes.count, FrameHeader.limit)
                var words: (low: UInt64, high: UInt64) = (0, 0)
                unsafe bytes.withUnsafeBytes { memory in
                    if memory.count >= 16 {
                        words.low = unsafe UInt64(littleEndian: memory.loadUnaligned(as: UInt64.self))
                        words.high = unsafe UInt64(
                            littleEndian: memory.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                        )
                        return
                    }
                    for index in 0..<memory.count {
                        let byte = unsafe UInt64(memory[index])
                        if index < 8 {
                            words.low |= byte << (8 * index)
                        } else {
                            words.high |= byte << (8 * (index - 8))
                        }
                    }
                }
                (low, high) = words
            }

            /// The eight bytes from an offset on, which is at most 8. The first one has the lowest bits.
            func word(at offset: Int) -> UInt64 {
                if offset == 0 { return low }
                return offset == 8 ? high : low >> (8 * offset) | high << (64 - 8 * offset)
            }
        }

        /// Reads a head. Returns `nil` if it is incomplete.
        ///
        /// The checks are in the order of the bytes, so the error does not depend on how many have arrived.
        private func head(_ bytes: HeadBytes) throws(WebSocketError) -> (FrameHeader, count: Int)? {
            var header = try checkedFirst(UInt8(truncatingIfNeeded: bytes.word(at: 0)))
            guard bytes.count >= 2 else { return nil }
            let second = UInt8(truncatingIfNeeded: bytes.word(at: 1))
            guard (second & 0x80 != 0) == expectsMask else {
                throw violation(expectsMask ? "a client must mask its frames" : "a server must not mask its frames")
            }
            let short = Int(second & 0x7F)
            if header.opcode.isControl, short > FrameHeader.controlLimit {
                throw violation("a control frame has at most 125 bytes")
            }
            var count = 2
            switch short {
            case 126:
                guard bytes.count >= 4 else { return nil }
                let length = UInt16(truncatingIfNeeded: bytes.word(at: 2)).byteSwapped
                guard length >= 126 else { throw violation("the length \(length) is not encoded minimally") }
                header.length = Int(length)
                count = 4
            case 127:
                guard bytes.count >= 10 else { return nil }
                let length = bytes.word(at: 2).byteSwapped
                guard length > 0xFFFF else { throw violation("the length \(length) is not encoded minimally") }
                guard let length = WireInteger(length).value(in: 0...Int.max) else {
                    throw violation("the length \(length) has more than 63 bits")
                }
                header.length = length
                count = 10
            default: header.length = short
            }
            if !header.opcode.isControl, header.length > frameLimit {
                throw WebSocketError(
                    .messageTooLarge,
                    "the peer sent a frame of \(header.length) bytes: at most \(frameLimit) are allowed"
                )
            }
            guard expectsMask else { return (header, count) }
            guard bytes.count >= count + 4 else { return nil }
            let key = count < 8 ? bytes.word(at: count) : bytes.word(at: 8) >> 16
            header.mask = MaskingKey(bits: UInt32(truncatingIfNeeded: key))
            return (header, count + 4)
        }

        private func checkedFirst(_ byte: UInt8) throws(WebSocketError) -> FrameHeader {
            guard let opcode = Opcode(rawValue: byte & 0x0F) else {
                throw violation("the opcode \(byte & 0x0F) is reserved")
            }
            let isFinal = byte & 0x80 != 0
            let isCompressed = byte & 0x40 != 0
            guard byte & 0x30 == 0 else { throw violation("the bits RSV2 and RSV3 are reserved") }
            if isCompressed, !allowsCompression || opcode.isControl || opcode == .continuation {
                throw violation("the bit RSV1 is allowed only in the first frame of a compressed message")
            }
            if opcode.isControl {
                if !isFinal { throw violation("a control frame must not be fragmented") }
            } else if (opcode == .continuation) != isInsideMessage {
                throw violation(
                    isInsideMessage
                        ? "a message must end before the next one begins" : "there is no message to continue"
                )
            }
            return FrameHeader(opcode: opcode, isFinal: isFinal, isCompressed: isCompressed, length: 0)
        }

        private func violation(_ rule: String) -> WebSocketError {
            WebSocketError(.protocolViolation, "the peer sent an invalid frame: \(rule)")
        }
    }
#endif
