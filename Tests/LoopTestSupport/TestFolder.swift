// SPDX-License-Identifier: MIT
package import Foundation

/// A temporary folder. Its path is short enough for a Unix socket. ``remove()`` deletes it.
package struct TestFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/reactive-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(cString: made)
    }

    package var url: URL { URL(fileURLWithPath: path) }

    /// The path of a file in the folder.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
