// SPDX-License-Identifier: MIT
import Glibc

/// The environment variables of this process.
///
/// Safe: the system receives strings, and this code keeps no pointer to the environment.
enum Environment {
    /// The value of a variable. `nil` means that it is not set.
    static subscript(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
