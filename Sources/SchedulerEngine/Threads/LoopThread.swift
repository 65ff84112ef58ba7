// SPDX-License-Identifier: MIT
/// Which thread runs a loop.
public enum LoopThread: Sendable, Hashable {
    /// A thread that the loop creates. It runs the loop until the loop is disposed. No other thread can run the loop.
    case owned
    /// The thread that calls `run`. At most one thread runs the loop at a time.
    case caller
    /// The process's main thread, which calls `run`. Such a loop serves `DispatchQueue.main`, and with it `@MainActor`.
    case main
    /// The thread of a host loop. This loop is then a guest of that loop.
    case host
}
