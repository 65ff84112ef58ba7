// SPDX-License-Identifier: MIT
import CReactive
import Glibc

/// The stack of a thread at one moment: the return addresses, innermost first.
package struct ThreadStack: Sendable, CustomStringConvertible {
    /// The most frames that a stack contains.
    private static let capacity = 256
    /// The longest description of a frame, in bytes. A longer one is truncated.
    private static let longestLine = 1_280

    /// The kernel's number of a thread (gettid(2)). After the thread has exited, a new thread may have the same number.
    package struct Thread: Sendable, Hashable {
        package let number: Int32

        /// The thread with this number.
        package init(number: Int32) { self.number = number }

        /// The calling thread.
        package static var current: Thread { Thread(number: reactive_stack_thread()) }
    }

    /// The error if the stack cannot be captured. `ESRCH`: the thread has exited. `ETIMEDOUT`: it blocks `SIGURG`, or
    /// has not run within the limit. `ENOSYS`: the C library cannot unwind a stack.
    package struct Unavailable: Error, CustomStringConvertible {
        package let errno: Int32

        package var description: String {
            switch errno {
            case ESRCH: "the stack is not known, because the thread has exited"
            case ETIMEDOUT: "the stack is not known, because the thread has not handled SIGURG"
            // Safe: the string is copied before another call can change it.
            default: "the stack is not known: \(unsafe String(cString: strerror(errno)))"
            }
        }
    }

    package let addresses: [UInt]

    /// Lets other threads capture the stack of the calling thread during `body`, even if the thread blocks signals, as
    /// the threads of libdispatch and of a `WorkerPool` do.
    package static func permittingCapture<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isPermitted = reactive_stack_permit(true)
        defer { if !isPermitted { reactive_stack_permit(false) } }
        return try body()
    }

    /// Loads what a capture needs. A capture does that too, but waits if another thread is loading a library.
    package static func prepare() { reactive_stack_prepare() }

    /// Captures the stack of a thread. The thread continues afterwards. Any thread may call it. Simultaneous calls wait for
    /// each other.
    ///
    /// Only the innermost frame is known if the thread is inside the unwinder, or on a small alternate signal stack.
    ///
    /// The thread receives the signal `SIGURG`. Calls that no handler restarts, such as `sleep` and `poll`, return early
    /// with `EINTR`.
    ///
    /// - Parameters:
    ///   - thread: The thread, which may be the caller.
    ///   - nanoseconds: How long to wait for it.
    /// - Throws: ``Unavailable``.
    package init(of thread: Thread, within nanoseconds: Int64 = 1_000_000_000) throws(Unavailable) {
        // Safe: the call writes at most this number of addresses, and keeps no pointer.
        var frames = unsafe [UnsafeMutableRawPointer?](repeating: nil, count: Self.capacity)
        let count = unsafe reactive_stack_capture(thread.number, &frames, Int32(Self.capacity), nanoseconds)
        if count < 0 { throw Unavailable(errno: -count) }
        addresses = unsafe frames[..<Int(count)].map { UInt(bitPattern: $0) }
    }

    /// Each frame: its module, the offset in the module, and the function if its name is known. Reading the names takes
    /// milliseconds.
    package var lines: [String] {
        addresses.map { address in
            // Safe: the call writes at most this number of bytes, and only prints the address.
            var text = [CChar](repeating: 0, count: Self.longestLine)
            let count = unsafe reactive_stack_describe(UnsafeRawPointer(bitPattern: address), &text, text.count)
            return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    package var description: String { lines.joined(separator: "\n") }
}
