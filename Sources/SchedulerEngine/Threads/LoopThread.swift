// SPDX-License-Identifier: MIT
/// Which thread runs a loop.
public enum LoopThread: Sendable, Hashable {
    /// A thread that the loop creates, and that runs it until it is disposed. No other thread can run it.
    case owned
    /// The thread that calls `run`. At any moment at most one thread runs the loop.
    case caller
    /// The process's main thread, which calls `run`. Such a loop serves `DispatchQueue.main`, and with it `@MainActor`.
    case main
    /// The thread of a host loop, of which this loop is a guest.
    case host
}
