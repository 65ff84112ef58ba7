// SPDX-License-Identifier: MIT
import Glibc

/// The open descriptors of the process.
package enum OpenDescriptors {
    /// The target of each open descriptor, as the link in `/proc/self/fd` reads: `socket:[4026]`, or a path.
    ///
    /// The result omits descriptors that have been closed since, and the descriptor that has read the folder.
    package static func targets() -> [Int32: String] {
        let folder = "/proc/self/fd"
        // If the folder cannot be opened, no descriptor is free for it. Then test the numbers one by one.
        let numbers =
            ProcFS.names(in: folder)?.compactMap { Int32($0) }
            ?? (0..<4096).filter { number in fcntl(number, F_GETFD) != -1 }
        var targets: [Int32: String] = [:]
        for number in numbers { targets[number] = ProcFS.target(of: "\(folder)/\(number)") }
        return targets
    }
}
