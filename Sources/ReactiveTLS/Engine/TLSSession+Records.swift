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
            var isEmpty = false
            reactive_tls_clear_errors()
            let chunk = unsafe Bytes(forApplicationAtMost: capacity) { memory in
                var total = 0
                while total < memory.count {
                    // Otherwise OpenSSL would allocate a buffer to find that nothing is left.
                    if total > 0, unsafe io.pointee.input_count == 0, unsafe SSL_has_pending(session) == 0 {
                        isEmpty = true
                        break
                    }
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
            out.toApplication(chunk)
            if result == 1 { return !isEmpty }
            if unsafe SSL_get_error(session, result) == SSL_ERROR_ZERO_RETURN {
                endOfPeer(&out)
            } else {
                try check(result)
            }
            return false
        }

        private func endOfPeer(_ out: inout TransformedBytes) {
            enter(.peerClosed)
            out.endApplicationStream()
            if isHalfCloseable || hasFinished { return }
            // The peer discards what it receives from now on (RFC 5246 section 7.2.1).
            hasFinished = true
            unsafe SSL_shutdown(session)
            reactive_tls_clear_errors()
        }

        func encrypt(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            takeSpill(&out)
            var result: Int32 = 1
            var done = 0
            reactive_tls_clear_errors()
            while done < bytes.count, result == 1 {
                let rest = bytes.count - done
                let limit = rest + (rest / Self.recordLimit + 1) * Self.recordOverhead
                let first = min(limit, Self.recordLimit + Self.recordOverhead)
                let encrypted = unsafe Bytes(forPeerAtMost: limit, atLeast: first) { memory in
                    unsafe io.pointee.output = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    unsafe io.pointee.output_capacity = memory.count
                    unsafe io.pointee.output_count = 0
                    unsafe bytes.withUnsafeBytes { plain in
                        while done < plain.count, result == 1 {
                            let record = min(plain.count - done, Self.recordLimit)
                            let room = unsafe memory.count - io.pointee.output_count
                            if room < record + Self.recordOverhead { break }
                            var count = 0
                            let start = unsafe plain.baseAddress.map { unsafe $0 + done }
                            unsafe result = SSL_write_ex(session, start, record, &count)
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
                if result != 1 { try check(result) }
            }
            if result == 1 { return }
            if phase == .peerClosed {
                // The rest of the message will not arrive.
                enter(.failed)
                throw SocketError(.reset, "cannot send: the peer closed TLS inside of a message")
            }
            enter(.interrupted)
            let rest = handshake ?? Handshake()
            rest.hold(bytes[(bytes.startIndex + done)...])
            handshake = rest
        }

        /// Passes on the bytes in `spill`: those for which `encrypt` lent no memory, or too little.
        func takeSpill(_ out: inout TransformedBytes) {
            guard let spill = unsafe io.pointee.spill else { return }
            let start = unsafe UnsafeRawPointer(spill) + MemoryLayout<reactive_tls_spill>.size
            unsafe out.toPeer(Bytes(copying: UnsafeRawBufferPointer(start: start, count: spill.pointee.count)))
            unsafe io.pointee.spill = nil
            unsafe free(spill)
        }
    }
#endif
