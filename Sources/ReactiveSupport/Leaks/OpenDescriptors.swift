// SPDX-License-Identifier: MIT
import Glibc

/// The open descriptors of the process.
package enum OpenDescriptors {
    /// What each open descriptor refers to, as the link in `/proc/self/fd` says: `socket:[4026]`, or a path.
    ///
    /// A descriptor that has been closed by now is left out. So is the one that has read the folder.
    package static func targets() -> [Int32: String] {
        let folder = "/proc/self/fd"
        // Without names, no descriptor is left to open the folder with.
        let numbers =
            ProcFS.names(in: folder)?.compactMap { Int32($0) }
            ?? (0..<4096).filter { number in fcntl(number, F_GETFD) != -1 }
        var targets: [Int32: String] = [:]
        for number in numbers { targets[number] = ProcFS.target(of: "\(folder)/\(number)") }
        return targets
    }
}
