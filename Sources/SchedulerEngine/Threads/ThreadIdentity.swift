// SPDX-License-Identifier: MIT
import CReactive
import ReactiveSupport

/// The identity of the calling thread.
enum ThreadIdentity {
    /// A number that no other living thread has. It is never 0.
    static var current: UInt { UInt(reactive_thread_id()) }

    static var isMain: Bool { reactive_is_main_thread() }

    /// The number of forks between the start of the program and this process. Each fork increments it in the child.
    @inline(__always)
    static var forkGeneration: UInt32 { reactive_fork_generation() }

    static func yield() { YieldPoint.spin() }
}
