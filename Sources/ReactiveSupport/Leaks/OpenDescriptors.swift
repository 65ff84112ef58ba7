// SPDX-License-Identifier: MIT
import Glibc

/// The open descriptors of the process.
///
/// Safe: the system's calls get C strings and arrays with their sizes, and keep no pointer.
package enum OpenDescriptors {
    /// What each open descriptor refers to, as the link in `/proc/self/fd` says: `socket:[4026]`, or a path.
    package static func targets() -> [Int32: String] {
        guard let folder = unsafe opendir("/proc/self/fd") else {
            // No descriptor is left to open the folder with.
            return targets(of: (0..<4096).filter { number in fcntl(number, F_GETFD) != -1 })
        }
        defer { unsafe closedir(folder) }
        let own = unsafe dirfd(folder)
        var numbers: [Int32] = []
        while let entry = unsafe readdir(folder) {
            // The entry's name is a C string inside the structure, which is valid until the next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let number = Int32(name), number != own { numbers.append(number) }
        }
        return targets(of: numbers)
    }

    /// A descriptor that has been closed by now is left out.
    private static func targets(of numbers: [Int32]) -> [Int32: String] {
        var targets: [Int32: String] = [:]
        for number in numbers { targets[number] = target(of: number) }
        return targets
    }

    private static func target(of number: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe bytes.baseAddress.map { unsafe readlink("/proc/self/fd/\(number)", $0, bytes.count) } ?? -1
            }
        }
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
