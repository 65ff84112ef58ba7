/// What went wrong with a loop: a code to decide on, the system's error number where there is one, and words to print.
///
/// Two errors are equal when their codes are: the words are for people.
public struct LoopError: CodedError, Sendable {
    /// The kind of a ``LoopError``. More may be added, so a `switch` over them needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as printed.
        public let description: String

        /// Makes a code of one's own, for a back end that has something new to report.
        public init(_ name: String) {
            description = name
        }

        /// `run` was called on a loop that is running, on this thread or on another one (rule R7).
        public static let alreadyRunning = Code("already running")
        /// The loop has been disposed (rule D5).
        public static let disposed = Code("disposed")
        /// `run` was called on a guest: its host runs it.
        public static let runByHost = Code("run by its host")
        /// The host's loop has a guest already.
        public static let alreadyAdopted = Code("already adopted")
        /// A loop of the process's main thread was run on another thread.
        public static let notMainThread = Code("not the main thread")
        /// The call belongs on the loop's own thread, and was made on another one while the loop was running.
        public static let wrongThread = Code("wrong thread")
        /// The loop belongs to the parent of this forked child (rules F1, F3). Call `exec`, or make a new loop in the child (F2).
        public static let forked = Code("forked")
        /// The descriptor is negative, closed, or of a kind that cannot be waited for (a regular file; rule N21).
        public static let badDescriptor = Code("bad descriptor")
        /// The signal cannot be handled: it is no signal's number, or the system does not allow it (SIGKILL, SIGSTOP).
        public static let badSignal = Code("bad signal")
        /// The argument is outside what the call allows.
        public static let badArgument = Code("bad argument")
        /// The system, or the library underneath, refused; `errno` says why.
        public static let systemCall = Code("system call")
        /// This build does not have the back end; the text names the package trait that brings it.
        public static let unavailable = Code("unavailable")
    }

    /// The kind of failure.
    public var code: Code
    /// The system's error number, or 0 where the system was not asked.
    public var errno: Int32
    /// One sentence: what was tried, on what, and why it failed.
    public var message: String

    /// Makes an error from its parts.
    public init(_ code: Code, errno: Int32 = 0, _ message: String) {
        self.code = code
        self.errno = errno
        self.message = message
    }
}
