// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

/// System calls on bare descriptors.
///
/// Safe: the calls receive strings, arrays and local variables with their sizes, and keep no pointer.
package enum Descriptor {
    /// Writes a text to a socket, a pipe or a terminal. Returns the number of bytes written, or -1. Only a pipe without a
    /// reader raises `SIGPIPE`.
    @discardableResult
    package static func put(_ text: String, to descriptor: Int32) -> Int {
        send(Array(text.utf8), to: descriptor)
    }

    /// Writes bytes, as ``put(_:to:)`` writes a text.
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        guard let machine = Platform.simulated else {
            let count = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            return count < 0 && errno == ENOTSOCK ? unsafe write(descriptor, bytes, bytes.count) : count
        }
        return unsafe bytes.withUnsafeBytes { unsafe counted(machine.send(descriptor, $0)) }
    }

    /// Reads at most `limit` bytes. Returns their number, 0 at end of stream, or -1 if there are none or on an error.
    @discardableResult
    package static func take(_ limit: Int = 65536, from descriptor: Int32) -> Int {
        unsafe withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { bytes in
            if let machine = Platform.simulated {
                return unsafe counted(machine.receive(descriptor, bytes, peeks: false))
            }
            return unsafe read(descriptor, bytes.baseAddress, limit)
        }
    }

    /// The error number of the last call on this thread.
    static var lastError: Int32 { errno }

    /// The result of a call that returns a count or a negative error number, as the C library returns it.
    static func counted(_ result: Int) -> Int {
        if result >= 0 { return result }
        errno = Int32(-result)
        return -1
    }

    /// The result of a call that returns an error number, as the C library returns it.
    @discardableResult
    static func checked(_ code: Int32) -> Int32 { code == 0 ? 0 : Int32(counted(-Int(code))) }

    package static func endSending(_ descriptor: Int32) {
        if let machine = Platform.simulated {
            checked(machine.shutdownWriting(descriptor))
        } else {
            shutdown(descriptor, Int32(SHUT_WR))
        }
    }

    /// Writes until a pipe is full.
    static func fill(_ descriptor: Int32) {
        if Platform.simulated != nil {
            while put("0123456789abcdef", to: descriptor) > 0 {}
        } else {
            while unsafe write(descriptor, "0123456789abcdef", 16) > 0 {}
        }
    }

    package static func close(_ descriptor: Int32) {
        if let machine = Platform.simulated { checked(machine.close(descriptor)) } else { _ = Glibc.close(descriptor) }
    }

    /// Makes `number` a duplicate of `descriptor`, and closes its previous file.
    static func copy(_ descriptor: Int32, onto number: Int32) {
        if let machine = Platform.simulated {
            _ = machine.duplicate(descriptor, onto: number)
        } else {
            dup2(descriptor, number)
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Gives a duplicate its original number again, and closes it. The number stays open in child processes.
    static func restore(_ duplicate: Int32, as number: Int32) {
        dup2(duplicate, number)
        close(duplicate)
    }

    /// The flags of a descriptor and of its file. Empty in a simulation.
    static func flags(of descriptor: Int32) -> [Int32] {
        Platform.simulated == nil ? [fcntl(descriptor, F_GETFD), fcntl(descriptor, F_GETFL)] : []
    }

    /// A duplicate of the descriptor.
    static func copy(of descriptor: Int32, from lowest: Int32 = 3) -> Int32 {
        Platform.simulated?.duplicate(descriptor, from: lowest) ?? fcntl(descriptor, F_DUPFD_CLOEXEC, lowest)
    }

    /// A free number. It is high, because other code in this process is assigned low numbers.
    static func freeNumber() -> Int32 {
        let file = openFile("/dev/null")
        let number = copy(of: file, from: 200)
        for descriptor in [file, number] { close(descriptor) }
        return number
    }

    static func openFile(_ path: String) -> Int32 {
        Platform.simulated?.openFile() ?? (unsafe open(path, O_RDONLY | O_CLOEXEC))
    }

    static func isOpen(_ descriptor: Int32) -> Bool {
        if let machine = Platform.simulated { return machine.openDescriptors[descriptor] != nil }
        return fcntl(descriptor, F_GETFD) != -1
    }

    /// Always true on a simulated machine, which has neither child processes nor blocking calls.
    package static func isClosedOnExec(_ descriptor: Int32) -> Bool {
        Platform.simulated != nil || fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
    }

    /// Always true on a simulated machine.
    package static func isNonblocking(_ descriptor: Int32) -> Bool {
        Platform.simulated != nil || fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
    }

    package static func setBlocking(_ descriptor: Int32, _ isBlocking: Bool) {
        if Platform.simulated != nil { return }
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    /// The numbers of all open descriptors. A test process has none above 4095.
    package static var all: Set<Int32> {
        if let machine = Platform.simulated { return Set(machine.openDescriptors.keys) }
        return Set((0..<Int32(4096)).filter { isOpen($0) })
    }
}
