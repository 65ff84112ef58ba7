// SPDX-License-Identifier: MIT
import CReactive

/// The position of this process in the chain of forks from the program's first process.
package enum ForkGeneration {
    /// 0 in the program's first process. A child has one more than its parent.
    package static var current: UInt32 { reactive_fork_generation() }
}
