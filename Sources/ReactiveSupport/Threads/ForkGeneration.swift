// SPDX-License-Identifier: MIT
import CReactive

/// The number of forks between the program's first process and this process.
package enum ForkGeneration {
    /// 0 in the program's first process. The value of a child is that of its parent plus one.
    package static var current: UInt32 { reactive_fork_generation() }
}
