public import ReactiveCore

/// What went wrong with a socket: a code to decide on, the system's error number, and words that name the address.
///
/// The same failure has the same code on every loop. Two errors are equal when their codes are.
public struct SocketError: CodedError, Sendable {
    /// The kind of a ``SocketError``. More may be added, so a `switch` over them needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as printed.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The address cannot be read: not an IPv4 or IPv6 address, or a port outside 0...65535.
        public static let invalidAddress = Code("invalid address")
        /// A Unix socket's path has more bytes than the system takes.
        public static let pathTooLong = Code("path too long")
        /// There is no such path to connect to, or no folder to make it in (`ENOENT`, `ENOTDIR`).
        public static let noSuchPath = Code("no such path")
        /// A host's name means nothing to anybody who was asked, or nobody could be asked.
        public static let unknownHost = Code("unknown host")
        /// The descriptor is none, or not of the kind that was asked for (`EBADF`, `ENOTSOCK`).
        public static let badDescriptor = Code("bad descriptor")
        /// Another socket has the address (`EADDRINUSE`).
        public static let addressInUse = Code("address in use")
        /// No interface of this machine has the address (`EADDRNOTAVAIL`).
        public static let addressNotAvailable = Code("address not available")
        /// The process may not do that (`EACCES`, `EPERM`).
        public static let permissionDenied = Code("permission denied")
        /// Nobody listens there (`ECONNREFUSED`).
        public static let refused = Code("refused")
        /// The peer has broken off, without taking or sending the rest (`ECONNRESET`, `EPIPE`).
        public static let reset = Code("reset")
        /// There was no answer in time (`ETIMEDOUT`).
        public static let timedOut = Code("timed out")
        /// No way leads there (`ENETUNREACH`, `EHOSTUNREACH`).
        public static let unreachable = Code("unreachable")
        /// The process or the system has no descriptor left (`EMFILE`, `ENFILE`).
        public static let outOfDescriptors = Code("out of descriptors")
        /// A datagram is larger than the system or the network takes (`EMSGSIZE`).
        public static let messageTooLarge = Code("message too large")
        /// A frame is longer than its limit allows, or says that it will be.
        public static let frameTooLong = Code("frame too long")
        /// The stream ended in the middle of a frame.
        public static let incompleteFrame = Code("incomplete frame")
        /// The bytes are not what the protocol allows; the text says why.
        public static let malformed = Code("malformed")
        /// The child process has ended, or nobody can say how any more (`ESRCH`, `ECHILD`).
        public static let noSuchProcess = Code("no such process")
        /// The socket was used after it had been closed on this side.
        public static let closed = Code("closed")
        /// Somebody is receiving already: what a socket receives has one observer at a time.
        public static let alreadyReceiving = Code("already receiving")
        /// The signal that was being sent failed, so the connection was broken off.
        public static let sourceFailed = Code("source failed")
        /// The loop refused; the text says why.
        public static let loop = Code("loop")
        /// The system refused for another reason; `errno` says which.
        public static let systemCall = Code("system call")
    }

    /// The kind of failure.
    public var code: Code
    /// The system's error number, or 0 where the system was not asked.
    public var errno: Int32
    /// One sentence: what was tried, on what address, and why it failed.
    public var message: String

    /// Makes an error: for framings and transformers, whose failures end a connection like any other.
    public init(_ code: Code, errno: Int32 = 0, _ message: String) {
        self.code = code
        self.errno = errno
        self.message = message
    }
}
