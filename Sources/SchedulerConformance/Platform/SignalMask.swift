// SPDX-License-Identifier: MIT
import Glibc
package import ReactiveSupport

/// The process signals that a thread blocks.
///
/// Safe: the calls receive a local variable and keep no pointer.
package enum SignalMask {
    /// Unblocks all process signals on this thread.
    ///
    /// A child inherits the mask of the thread that starts it. Tests run on threads of libdispatch, which block most
    /// signals, including `SIGALRM`.
    package static func clear() {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    /// Blocks a process signal on this thread during `body`, and unblocks it afterwards.
    package static func blocking(_ signal: Int32, _ body: () throws -> Void) rethrows {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, signal)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        defer { unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil) }
        try body()
    }

    /// Whether a thread of this process has received a signal that it blocks.
    package static func isPending(_ signal: Int32, for thread: ThreadStack.Thread?) -> Bool {
        guard let thread, let bits = set("SigPnd", of: thread) else { return false }
        return bits & only(signal) != 0
    }

    /// The signals that a thread of this process blocks. `nil` without /proc.
    static func blocked(by thread: ThreadStack.Thread) -> UInt64? { set("SigBlk", of: thread) }

    /// The set that contains only one signal.
    static func only(_ signal: Int32) -> UInt64 { 1 << UInt64(signal - 1) }

    /// A set of signals from proc_pid_status(5): one bit each, the lowest one for signal 1. `nil` if it cannot be read.
    private static func set(_ name: String, of thread: ThreadStack.Thread) -> UInt64? {
        let status = ProcFS.text(of: "/proc/self/task/\(thread.number)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { UInt64($0.dropFirst(name.count + 1).filter { !$0.isWhitespace }, radix: 16) }
    }
}
