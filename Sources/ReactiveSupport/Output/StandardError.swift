// SPDX-License-Identifier: MIT
import Glibc

/// The process's standard error.
package enum StandardError {
    /// Writes a line in one call, so that lines of other threads do not mix with it. Ignores a failure. Any thread may
    /// call it.
    package static func writeLine(_ text: String) {
        var line = text
        line.append("\n")
        // Safe: the call reads that many bytes, and keeps no pointer.
        line.withUTF8 { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}
