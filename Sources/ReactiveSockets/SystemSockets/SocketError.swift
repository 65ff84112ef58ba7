// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSignals

/// An error of a socket: a code, the system's error number, and a message that names the address.
///
/// A failure has the same code on every loop. Two errors are equal if their codes are equal, whatever their messages.
public struct SocketError: CodedError, Sendable {
    /// The kind of a ``SocketError``. Later versions may add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as printed.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The address is invalid: malformed, empty, missing, or with a port outside 0...65535.
        public static let invalidAddress = Code("invalid address")
        /// The path or abstract name of a Unix socket is longer than the system allows (unix(7), `ENAMETOOLONG`).
        public static let pathTooLong = Code("path too long")
        /// The path does not exist (`ENOENT`, `ENOTDIR`).
        public static let noSuchPath = Code("no such path")
        /// The host name could not be resolved.
        public static let unknownHost = Code("unknown host")
        /// The descriptor is closed, not a socket, or a socket of another kind (`EBADF`, `ENOTSOCK`). See rule N21.
        public static let badDescriptor = Code("bad descriptor")
        /// Another socket uses the address (`EADDRINUSE`).
        public static let addressInUse = Code("address in use")
        /// No interface of this machine has the address (`EADDRNOTAVAIL`).
        public static let addressNotAvailable = Code("address not available")
        /// The process lacks the permission (`EACCES`, `EPERM`).
        public static let permissionDenied = Code("permission denied")
        /// No socket accepts connections or datagrams at the address (`ECONNREFUSED`).
        public static let refused = Code("refused")
        /// The peer reset the connection, or the socket is not connected (`ECONNRESET`, `EPIPE`, `ENOTCONN`).
        public static let reset = Code("reset")
        /// The operation or the connection reached a time limit, its own or one of the system (`ETIMEDOUT`).
        public static let timedOut = Code("timed out")
        /// The network or the host cannot be reached (`ENETUNREACH`, `EHOSTUNREACH`, `EHOSTDOWN`, `ENETDOWN`).
        public static let unreachable = Code("unreachable")
        /// The process or the system has no free descriptor (`EMFILE`, `ENFILE`), or had none when the main loop was to be
        /// created.
        public static let outOfDescriptors = Code("out of descriptors")
        /// The datagram is larger than the system or the network allows (`EMSGSIZE`).
        public static let messageTooLarge = Code("message too large")
        /// The frame, or the length in its prefix, exceeds the limit.
        public static let frameTooLong = Code("frame too long")
        /// The stream completed in the middle of a frame.
        public static let incompleteFrame = Code("incomplete frame")
        /// The input violates the protocol. The message says why.
        public static let malformed = Code("malformed")
        /// TLS failed. ``SocketError/cause`` is the `TLSError`.
        public static let tls = Code("TLS")
        /// The child process has exited, or its exit status is lost (`ESRCH`, `ECHILD`).
        public static let noSuchProcess = Code("no such process")
        /// The socket, or its sending direction, has been closed on this side.
        public static let closed = Code("closed")
        /// The socket already has a subscriber that receives. It allows one at a time.
        public static let alreadyReceiving = Code("already receiving")
        /// The source of a `send(from:)` failed. A connection is then reset. A datagram socket stays open.
        public static let sourceFailed = Code("source failed")
        /// The loop refused the operation, has been disposed, or is not the current one. The message says which of
        /// these.
        public static let loop = Code("loop")
        /// The system call failed for another reason. ``SocketError/errno`` identifies it.
        public static let systemCall = Code("system call")
    }

    /// The kind of failure.
    public var code: Code
    /// The system's error number, or 0 if no system call failed.
    public var errno: Int32
    /// One sentence: what failed, on which address, and why.
    public var message: String
    /// The error that caused this one, for example of a transformer, or nil.
    public var cause: (any Error)?

    /// Creates an error. Use it to report failures in your own framings, transformers and look-ups.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - errno: The system's error number, or 0.
    ///   - message: One sentence: what failed, on which address, and why.
    ///   - cause: The error that caused this one, or nil.
    public init(_ code: Code, errno: Int32 = 0, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.errno = errno
        self.message = message
        self.cause = cause
    }
}

extension SocketError: LocallyCaused {
    /// Whether this side has closed the socket or disposed the loop. The error of a loop that refuses a watch differs
    /// by its `errno`.
    package var isLocallyCaused: Bool { code == .closed || code == .loop && errno == 0 }
}
