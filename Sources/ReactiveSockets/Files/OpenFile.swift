// SPDX-License-Identifier: MIT
import Glibc

/// An open file. Releasing the last reference closes its descriptor. Any thread may use every member.
///
/// Safe: each call receives sized memory that outlives the call. The system keeps no pointer.
package final class OpenFile: Sendable {
    package let descriptor: Int32

    /// Takes ownership of a descriptor.
    package init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    /// What the system knows about a file.
    package struct Status: Sendable, Hashable {
        package enum Kind: Sendable { case regular, folder, other }

        package var kind: Kind
        package var size: Int
        package var device: UInt64
        package var inode: UInt64
        /// The time of the last change of the content, in seconds since 1970 and nanoseconds.
        package var modified: Time
        /// The time of the last change of the content or the attributes. A program cannot set it.
        package var changed: Time

        package struct Time: Sendable, Hashable {
            package var seconds: Int
            package var nanoseconds: Int
        }

        init(_ status: stat) {
            kind =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .regular
                case S_IFDIR: .folder
                default: .other
                }
            size = Int(status.st_size)
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            modified = Time(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
            changed = Time(seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
        }
    }

    /// Reads the current status (fstat(2)). Throws the error number.
    package func status() throws(SystemFailure) -> Status {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemFailure(errno: errno) }
        return Status(status)
    }

    /// Reads at most `limit` bytes from `offset`. A shorter result means that the file ends there.
    ///
    /// The call waits for the disk if the kernel does not have the bytes in memory.
    package func read(at offset: Int, atMost limit: Int) throws(SystemFailure) -> Bytes {
        var failure: Int32 = 0
        let descriptor = descriptor
        let bytes = unsafe Bytes(capacity: limit) { memory in
            var count = 0
            while count < limit, let base = memory.baseAddress {
                let result = unsafe pread(descriptor, base + count, limit - count, off_t(offset + count))
                if result > 0 {
                    count += result
                } else if result == 0 {
                    break
                } else if errno != EINTR {
                    failure = errno
                    break
                }
            }
            return count
        }
        if failure != 0 { throw SystemFailure(errno: failure) }
        return bytes
    }
}

/// The error number of a failed system call.
package struct SystemFailure: Error {
    package let errno: Int32
    package init(errno: Int32) { self.errno = errno }
}
