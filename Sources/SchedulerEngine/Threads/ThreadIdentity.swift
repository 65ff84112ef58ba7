// SPDX-License-Identifier: MIT
import CReactive
import ReactiveSupport

/// The identity of the calling thread.
enum ThreadIdentity {
    /// A number that no other living thread has. It is never 0.
    static var current: UInt { UInt(reactive_thread_id()) }

    /// The kernel's number of the calling thread (gettid(2)). Only a thread's first call is a system call.
    static var kernelNumber: Int32 { reactive_kernel_thread() }

    static var isMain: Bool { reactive_is_main_thread() }

    /// The number of forks between the start of the program and this process. Each fork increments it in the child.
    @inline(__always)
    static var forkGeneration: UInt32 { reactive_fork_generation() }

    static func yield() { YieldPoint.spin() }
}
