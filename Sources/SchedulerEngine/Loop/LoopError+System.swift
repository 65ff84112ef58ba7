// SPDX-License-Identifier: MIT
import Glibc
package import ReactiveCore

extension LoopError {
    /// An error with the code `systemCall` for a refused operation. Safe: the text of `strerror` is copied immediately.
    package static func system(_ operation: String, _ errno: Int32) -> LoopError {
        LoopError(.systemCall, errno: errno, unsafe "\(operation): \(String(cString: strerror(errno)))")
    }

    /// The error for a descriptor that cannot be watched. Its code is the same on every back end (rule N21).
    package static func watching(_ descriptor: Int32, _ errno: Int32) -> LoopError {
        switch errno {
        case EBADF:
            LoopError(.badDescriptor, errno: errno, "cannot watch descriptor \(descriptor): it is not open")
        case EPERM:
            LoopError(
                .badDescriptor,
                errno: errno,
                "cannot watch descriptor \(descriptor): the system cannot wait for its kind, such as a regular file"
            )
        default: system("cannot watch descriptor \(descriptor)", errno)
        }
    }
}
