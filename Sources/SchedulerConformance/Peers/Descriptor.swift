// SPDX-License-Identifier: MIT
import Glibc

/// System calls on bare descriptors.
///
/// Safe: the calls receive strings, arrays and local variables with their sizes, and keep no pointer.
package enum Descriptor {
    /// Writes a text. Returns the number of bytes written, or -1. Never raises `SIGPIPE`.
    @discardableResult
    package static func put(_ text: String, to descriptor: Int32) -> Int {
        var text = text
        return text.withUTF8 { bytes in unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads at most `limit` bytes. Returns their number, 0 at end of stream, or -1 if there are none or on an error.
    @discardableResult
    package static func take(_ limit: Int = 65536, from descriptor: Int32) -> Int {
        unsafe withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { bytes in
            unsafe read(descriptor, bytes.baseAddress, limit)
        }
    }

    /// The error number of the last call on this thread.
    static var lastError: Int32 { errno }

    static func endSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Writes until a pipe is full.
    static func fill(_ descriptor: Int32) { while unsafe write(descriptor, "0123456789abcdef", 16) > 0 {} }

    package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// Makes `number` a duplicate of `descriptor`, and closes its previous file.
    static func copy(_ descriptor: Int32, onto number: Int32) { dup2(descriptor, number) }

    /// A duplicate of the descriptor.
    static func copy(of descriptor: Int32, from lowest: Int32 = 3) -> Int32 {
        fcntl(descriptor, F_DUPFD_CLOEXEC, lowest)
    }

    static func openFile(_ path: String) -> Int32 { unsafe open(path, O_RDONLY | O_CLOEXEC) }

    static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) != -1 }

    package static func isClosedOnExec(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 }

    package static func isNonblocking(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0 }

    package static func setBlocking(_ descriptor: Int32, _ isBlocking: Bool) {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    /// The numbers of all open descriptors. A test process has none above 4095.
    package static var all: Set<Int32> { Set((0..<Int32(4096)).filter { isOpen($0) }) }
}
