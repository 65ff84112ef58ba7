// SPDX-License-Identifier: MIT
import Glibc

/// The folders and links of `/proc` (proc(5)).
///
/// Safe: the system calls receive C strings and arrays with their sizes, and keep no pointer.
package enum ProcFS {
    /// Returns the names in a folder, without `.` and `..`. Returns nil if the folder cannot be opened.
    package static func names(in path: String) -> [String]? {
        guard let folder = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            // The name is a C string inside the structure, which is valid until the next call of `readdir`.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the first 8,192 bytes of a file. Returns nil if it cannot be read.
    package static func text(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Returns the target of a link. Returns nil if there is no such link.
    package static func target(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe bytes.baseAddress.map { unsafe readlink(path, $0, bytes.count) } ?? -1
            }
        }
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
