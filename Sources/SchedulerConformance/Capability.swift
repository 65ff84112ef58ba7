// SPDX-License-Identifier: MIT
/// A capability that a loop can have or lack. A rule lists the capabilities that it needs. A loop's description lists
/// the capabilities that the loop lacks, each with a reason.
public struct Capability: Sendable, Hashable, CustomStringConvertible {
    /// The name, which the report prints after "needs".
    public let description: String

    /// Creates a capability, for rules that you write.
    public init(_ name: String) { description = name }

    /// Time passes by itself, because the loop uses the system's clock.
    public static let realTime = Capability("real time")
    /// Time passes while work runs. In virtual time it may stand still.
    public static let timeInWork = Capability("time that passes during work")
    /// The loop can own the thread that runs it.
    public static let ownThread = Capability("a thread of its own")
    /// The loop runs in `run` and similar calls, until `stop`. A guest lacks this capability, because its host runs it.
    public static let ownRun = Capability("a run of its own")
    /// The process's main thread has a loop.
    public static let mainThread = Capability("the main thread")
    /// Descriptors can be watched.
    public static let descriptors = Capability("descriptors")
    /// The descriptors are the kernel's, so system calls can examine them.
    public static let kernelDescriptors = Capability("descriptors of the kernel")
    /// The loop supports sockets: it waits for peers, in real time.
    public static let sockets = Capability("sockets")
    /// Process signals can be handled.
    public static let processSignals = Capability("process signals")
    /// Child processes can be started, and their exit is reported.
    public static let children = Capability("child processes")
    /// The process can fork, and the child continues to use the system.
    public static let forks = Capability("forked children")
    /// Timers of Foundation's `RunLoop.main` are served while the main loop runs.
    public static let runLoop = Capability("RunLoop.main")
    /// Between the main loop's own runs, code that serves the main queue also serves the main loop.
    public static let mainQueueGuest = Capability("a main loop that the main queue serves")
    /// The kernel has IPv6.
    public static let ipv6 = Capability("IPv6")
    /// The program is built with ThreadSanitizer or AddressSanitizer.
    public static let sanitizer = Capability("a sanitizer")
}
