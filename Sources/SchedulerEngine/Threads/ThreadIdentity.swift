import CReactive
import Glibc

/// Which thread this is.
enum ThreadIdentity {
    /// A number that no other living thread has, and that is never 0.
    static var current: UInt { UInt(reactive_thread_id()) }

    static var isMain: Bool { reactive_is_main_thread() }

    /// How often the process has been forked off since the program began; it changes in the child.
    @inline(__always)
    static var forkGeneration: UInt32 { reactive_fork_generation() }

    static func yield() { sched_yield() }
}
