// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import SchedulerConformance

    /// Calls on OpenSSL's BIOs in memory.
    ///
    /// Safe: the calls receive arrays with their sizes, and keep no pointer.
    enum MemoryBIO {
        /// Takes all bytes.
        static func take(from memory: OpaquePointer) -> [UInt8] {
            let count = unsafe BIO_ctrl_pending(memory)
            if count == 0 { return [] }
            var bytes = [UInt8](repeating: 0, count: count)
            let taken = unsafe BIO_read(memory, &bytes, Int32(clamping: count))
            if taken != count { fatalError("a BIO in memory returned \(taken) of \(count) bytes") }
            return bytes
        }

        /// Adds bytes.
        static func put(_ bytes: [UInt8], into memory: OpaquePointer) {
            if bytes.isEmpty { return }
            let count = unsafe BIO_write(memory, bytes, Int32(clamping: bytes.count))
            if count != bytes.count { fatalError("a BIO in memory accepted \(count) of \(bytes.count) bytes") }
        }

        /// Calls `body` with a BIO that contains the bytes.
        static func with<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result) -> Result {
            guard let memory = unsafe BIO_new(BIO_s_mem()) else { fatalError("OpenSSL has no memory") }
            defer { unsafe BIO_free(memory) }
            unsafe put(bytes, into: memory)
            return unsafe body(memory)
        }
    }
#endif
