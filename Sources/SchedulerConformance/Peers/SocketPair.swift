import Glibc

/// Two connected stream sockets that do not block; closed with the last reference.
package final class SocketPair: Sendable {
    package let near: Int32
    package let far: Int32
    private let nearIsOpen: Box<Bool>
    private let farIsOpen: Box<Bool>

    package init(file: StaticString = #fileID, line: Int = #line) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        // Safe: there is room for two descriptors.
        unsafe precondition(socketpair(AF_UNIX, type, 0, &ends) == 0, "socketpair: \(errno)")
        near = ends[0]
        far = ends[1]
        nearIsOpen = Box(true, file: file, line: line)
        farIsOpen = Box(true, file: file, line: line)
    }

    deinit {
        closeNear()
        closeFar()
    }

    package func closeNear() { if swapOut(nearIsOpen) { close(near) } }

    package func closeFar() { if swapOut(farIsOpen) { close(far) } }

    private func swapOut(_ flag: Box<Bool>) -> Bool {
        flag.update { flag in
            defer { flag = false }
            return flag
        }
    }
}

/// The system's calls on bare descriptors.
///
/// Safe: they get strings, arrays and local variables with their sizes, and keep no pointer.
package enum Descriptor {
    /// Writes bytes; how many went out, or -1. Never `SIGPIPE`.
    @discardableResult
    package static func put(_ text: String, to descriptor: Int32) -> Int {
        var text = text
        return text.withUTF8 { bytes in unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads at most `limit` bytes: the number, 0 at the end, -1 where there is nothing or an error.
    @discardableResult
    package static func take(_ limit: Int = 65536, from descriptor: Int32) -> Int {
        unsafe withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { bytes in
            unsafe read(descriptor, bytes.baseAddress, limit)
        }
    }

    /// The error that the last call on this thread left.
    static var lastError: Int32 { errno }

    static func endSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    /// A pipe, neither end of which blocks: where to read, where to write.
    static func pipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        unsafe precondition(Glibc.pipe(&ends) == 0, "pipe: \(errno)")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return (ends[0], ends[1])
    }

    /// Writes until a pipe is full.
    static func fill(_ descriptor: Int32) { while unsafe write(descriptor, "0123456789abcdef", 16) > 0 {} }

    static func shut(_ descriptor: Int32) { close(descriptor) }

    /// Gives `number` the same file as `descriptor`; what it had is closed.
    static func copy(_ descriptor: Int32, onto number: Int32) { dup2(descriptor, number) }

    /// Two connected stream sockets that do not block, and that nothing closes by itself.
    static func sockets() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        unsafe precondition(socketpair(AF_UNIX, type, 0, &ends) == 0, "socketpair: \(errno)")
        return (ends[0], ends[1])
    }

    /// Puts one end of such a pair behind `number`, which is closed; the other end.
    static func socket(at number: Int32) -> Int32 {
        let (near, far) = sockets()
        precondition(dup2(near, number) == number, "dup2: \(errno)")
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        close(near)
        return far
    }

    /// Another number for the same file.
    static func copy(of descriptor: Int32, from lowest: Int32 = 3) -> Int32 {
        fcntl(descriptor, F_DUPFD_CLOEXEC, lowest)
    }

    static func openFile(_ path: String) -> Int32 { unsafe open(path, O_RDONLY | O_CLOEXEC) }

    static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) != -1 }

    static func isClosedOnExec(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 }

    static func isNonblocking(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0 }

    static var all: Set<Int32> { Set((0..<Int32(4096)).filter { fcntl($0, F_GETFD) != -1 }) }

    /// Lets the process open so many descriptors more. The next numbers need not follow each other: what the process has
    /// inherited may lie between.
    static func leave(_ count: Int) {
        let next = (0...count).map { _ in dup(0) }
        for descriptor in next where descriptor >= 0 { close(descriptor) }
        // Not lower than need be: `poll` refuses more descriptors than the limit.
        if let first = next.last, first >= 0 { setLimit(Int(first)) }
    }

    /// Lets the process have no number above `count` open, or as many as it may.
    static func setLimit(_ count: Int?) {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = count.map { rlim_t($0) } ?? min(limit.rlim_max, 4096)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
