// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// Encodes frames (RFC 6455 section 5.2).
    struct FrameEncoder: Sendable {
        /// Whether this side is a client, which masks its frames.
        let masks: Bool

        /// The number of bytes from which an unmasked payload is sent beside its head instead of being copied.
        static let copyLimit = 4096

        /// Encodes a frame. The second value is the payload if it is not part of the first.
        func frame(_ opcode: Opcode, _ payload: Bytes, isFinal: Bool = true, isCompressed: Bool = false) -> (
            Bytes, Bytes?
        ) {
            let header = FrameHeader(
                opcode: opcode,
                isFinal: isFinal,
                isCompressed: isCompressed,
                length: payload.count,
                mask: masks ? .random() : nil
            )
            if !masks, payload.count >= Self.copyLimit { return (encode(header, Bytes()), payload) }
            return (encode(header, payload), nil)
        }

        /// Encodes a control frame.
        func control(_ opcode: Opcode, _ payload: Bytes) -> Bytes {
            assert(payload.count <= FrameHeader.controlLimit, "a control frame has at most 125 bytes")
            return frame(opcode, payload).0
        }

        /// Encodes a Close frame.
        func close(_ close: WebSocketClose) -> Bytes {
            if close.code == .noStatus { return control(.close, Bytes()) }
            return control(.close, Bytes(joining: [Bytes(close.code.rawValue), Bytes(close.reason)]))
        }

        /// Encodes the head of a frame, with the bytes that follow it.
        ///
        /// Safe: the memory has room for the longest head and the bytes.
        func encode(_ header: FrameHeader, _ payload: Bytes) -> Bytes {
            unsafe Bytes(capacity: FrameHeader.limit + payload.count) { memory in
                unsafe memory[0] =
                    (header.isFinal ? 0x80 : 0) | (header.isCompressed ? 0x40 : 0) | header.opcode.rawValue
                let maskBit: UInt8 = header.mask == nil ? 0 : 0x80
                var count = 2
                switch header.length {
                case ...125: unsafe memory[1] = maskBit | UInt8(header.length)
                case ...0xFFFF:
                    unsafe memory[1] = maskBit | 126
                    unsafe memory.storeBytes(of: UInt16(header.length).bigEndian, toByteOffset: 2, as: UInt16.self)
                    count = 4
                default:
                    unsafe memory[1] = maskBit | 127
                    unsafe memory.storeBytes(of: UInt64(header.length).bigEndian, toByteOffset: 2, as: UInt64.self)
                    count = 10
                }
                if let mask = header.mask {
                    unsafe memory.storeBytes(of: mask.bits.littleEndian, toByteOffset: count, as: UInt32.self)
                    count += 4
                }
                if payload.isEmpty { return count }
                let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
                unsafe payload.withUnsafeBytes { source in
                    if let mask = header.mask {
                        unsafe mask.apply(source, to: target)
                    } else {
                        unsafe target.copyMemory(from: source)
                    }
                }
                return count + payload.count
            }
        }
    }
#endif
