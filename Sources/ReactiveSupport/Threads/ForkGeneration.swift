import CReactive

/// Which process this is, of those that forks have made of one program start.
package enum ForkGeneration {
    /// 0 in the program's first process; a child has one more than its parent.
    package static var current: UInt32 { reactive_fork_generation() }
}
