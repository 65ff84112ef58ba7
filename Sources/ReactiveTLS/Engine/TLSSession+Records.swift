// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSockets

    extension TLSSession {
        /// What OpenSSL adds to a record at most, with its header.
        private static let recordOverhead = 96
        static let recordLimit = 16 * 1024

        /// Decrypts bytes into one chunk. Returns whether it is full, so that more bytes may follow.
        func decrypt(atMost capacity: Int, _ out: inout TransformedBytes) throws(SocketError) -> Bool {
            var result: Int32 = 1
            ERR_clear_error()
            let chunk = unsafe Bytes(capacity: capacity) { memory in
                var total = 0
                while total < memory.count {
                    var count = 0
                    unsafe result = SSL_read_ex(
                        session,
                        memory.baseAddress.map { unsafe $0 + total },
                        memory.count - total,
                        &count
                    )
                    if result != 1 { break }
                    total += count
                }
                return total
            }
            // Records of one byte would otherwise retain a buffer of 23 times their size.
            out.toApplication(capacity > 1_024 ? chunk.compacted() : chunk)
            if result == 1 { return true }
            if unsafe SSL_get_error(session, result) == SSL_ERROR_ZERO_RETURN {
                endOfPeer(&out)
            } else {
                try check(result)
            }
            return false
        }

        private func endOfPeer(_ out: inout TransformedBytes) {
            phase = .peerClosed
            out.endApplicationStream()
            if isHalfCloseable || hasFinished { return }
            // The peer discards what it receives from now on (RFC 5246 section 7.2.1).
            hasFinished = true
            unsafe SSL_shutdown(session)
            ERR_clear_error()
        }

        func encrypt(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            takeSpill(&out)
            let records = bytes.count / Self.recordLimit + 1
            var result: Int32 = 1
            var done = 0
            ERR_clear_error()
            let encrypted = unsafe Bytes(capacity: bytes.count + records * Self.recordOverhead) { memory in
                unsafe io.pointee.output = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
                unsafe io.pointee.output_capacity = memory.count
                unsafe io.pointee.output_count = 0
                unsafe bytes.withUnsafeBytes { plain in
                    while done < plain.count, result == 1 {
                        var count = 0
                        unsafe result = SSL_write_ex(
                            session,
                            plain.baseAddress.map { unsafe $0 + done },
                            plain.count - done,
                            &count
                        )
                        done += count
                    }
                }
                let count = unsafe io.pointee.output_count
                unsafe io.pointee.output = nil
                unsafe io.pointee.output_capacity = 0
                unsafe io.pointee.output_count = 0
                return count
            }
            out.toPeer(encrypted)
            takeSpill(&out)
            if result == 1 { return }
            try check(result)
            phase = .interrupted
            let rest = handshake ?? Handshake()
            rest.hold(bytes[(bytes.startIndex + done)...])
            handshake = rest
        }

        /// Passes on the output that did not go to the memory of a caller.
        func takeSpill(_ out: inout TransformedBytes) {
            guard unsafe io.pointee.spill_count > 0, let spill = unsafe io.pointee.spill else { return }
            unsafe out.toPeer(Bytes(copying: UnsafeRawBufferPointer(start: spill, count: io.pointee.spill_count)))
            unsafe io.pointee.spill_count = 0
            unsafe io.pointee.spill_capacity = 0
            unsafe io.pointee.spill = nil
            unsafe free(spill)
        }
    }
#endif
