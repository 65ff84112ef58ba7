// SPDX-License-Identifier: MIT
/// An error of a loop: a code for programs, the system's error number, and a message for people.
///
/// Two errors are equal if their codes are equal.
public struct LoopError: CodedError, Sendable {
    /// The code of a ``LoopError``. Later versions may add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as printed.
        public let description: String

        /// Creates a code, for a back end that reports a new kind of failure.
        public init(_ name: String) {
            description = name
        }

        /// A thread already runs the loop, or the loop owns a thread that runs it (rule R7).
        public static let alreadyRunning = Code("already running")
        /// The loop has been disposed (rule D5).
        public static let disposed = Code("disposed")
        /// The loop is a guest, so only its host runs it.
        public static let runByHost = Code("run by its host")
        /// The host already has a guest.
        public static let alreadyAdopted = Code("already adopted")
        /// The loop belongs to the main thread, and another thread tried to run it.
        public static let notMainThread = Code("not the main thread")
        /// The call must be made on the loop's thread, or while the loop does not run.
        public static let wrongThread = Code("wrong thread")
        /// The loop belongs to the parent of this forked child (rules F1, F3). Call `exec`, or create a loop in the
        /// child (F2).
        public static let forked = Code("forked")
        /// The descriptor is negative, not open, or of a kind that the system cannot wait for, such as a regular file
        /// (rule N21).
        public static let badDescriptor = Code("bad descriptor")
        /// The signal does not exist, or cannot be caught (`SIGKILL`, `SIGSTOP`).
        public static let badSignal = Code("bad signal")
        /// An argument is invalid. The message names it.
        public static let badArgument = Code("bad argument")
        /// The system or the back end's library refused. ``LoopError/errno`` is the reason.
        public static let systemCall = Code("system call")
        /// This build does not have the back end. The message names the package trait that adds it.
        public static let unavailable = Code("unavailable")
    }

    /// The kind of failure.
    public var code: Code
    /// The system's error number, or 0 if no system call failed.
    public var errno: Int32
    /// One sentence: what failed, on what, and why.
    public var message: String

    /// Creates an error from its parts.
    public init(_ code: Code, errno: Int32 = 0, _ message: String) {
        self.code = code
        self.errno = errno
        self.message = message
    }
}
