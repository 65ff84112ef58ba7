// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import Loops
    import ReactiveSockets

    /// A file that the program reads or writes, in blocking calls.
    struct File: Sendable {
        private let descriptor: Int32

        /// Opens a file, or creates it.
        ///
        /// - Throws: A `Failure` if that is impossible.
        private init(_ path: String, _ flags: Int32) throws {
            descriptor = open(path, flags, 0o644)
            guard descriptor >= 0 else { throw Failure(description: "cannot open \(path): \(errno)") }
        }

        /// Returns the contents of a file.
        ///
        /// - Throws: A `Failure` if it cannot be read.
        static func contents(of path: String) throws -> Bytes {
            let file = try File(path, O_RDONLY)
            defer { close(file.descriptor) }
            var (all, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
            while true {
                let count = read(file.descriptor, &chunk, chunk.count)
                guard count >= 0 else { throw Failure(description: "cannot read \(path): \(errno)") }
                if count == 0 { return Bytes(all) }
                all.append(contentsOf: chunk[..<count])
            }
        }

        /// Creates an empty file, which stays open as long as the process.
        static func creating(_ path: String) throws -> File { try File(path, O_WRONLY | O_CREAT | O_TRUNC) }

        /// Appends bytes. Traps if the file cannot be written.
        func append(_ bytes: Bytes) {
            let rest = Array(bytes)
            var start = 0
            while start < rest.count {
                let count = rest[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                precondition(count > 0, "cannot write the output: \(errno)")
                start += count
            }
        }
    }
#endif
