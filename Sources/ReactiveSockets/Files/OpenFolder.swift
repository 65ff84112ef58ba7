// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import Synchronization

/// A folder in which files are opened by relative paths that cannot leave it. Any thread may use every member.
package final class OpenFolder: Sendable {
    private let folder: OpenFile
    private let followsLinks: Bool
    /// Whether the system has lacked openat2.
    private let walks: Atomic<Bool>

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - path: A path of the file system. The caller trusts it, so it may contain symbolic links.
    ///   - followsLinks: Whether paths in the folder may contain symbolic links. Even then a link cannot lead out of the
    ///     folder, and an absolute link always does.
    ///   - walks: Whether to open each component by itself, as on systems without openat2 (before Linux 5.6, and in some
    ///     sandboxes). Then paths may contain no symbolic link.
    package init(_ path: String, followsLinks: Bool, walks: Bool = false) throws(SocketError) {
        let descriptor = unsafe reactive_open_folder(path)
        guard descriptor >= 0 else { throw .system("cannot open the folder \(path)", -descriptor) }
        folder = OpenFile(adopting: descriptor)
        self.followsLinks = followsLinks
        self.walks = Atomic(walks)
    }

    /// Opens a file for reading. Everything else is opened without an effect on it: with `O_PATH`, for its status only.
    ///
    /// - Parameter components: The names of the path, without slashes and NUL. Empty means the folder itself.
    package func open(_ components: [[UInt8]]) throws(SystemFailure) -> OpenFile {
        if walks.load(ordering: .relaxed) { return try walk(components) }
        let path = components.isEmpty ? Array(".".utf8) : Array(components.joined(separator: [UInt8(ascii: "/")]))
        let result = unsafe Self.withCString(path) { unsafe reactive_open_beneath(folder.descriptor, $0, followsLinks) }
        if result >= 0 { return OpenFile(adopting: result) }
        let isMissing = Self.isOpenat2Missing(result) {
            unsafe Self.withCString(Array(".".utf8)) {
                let probe = unsafe reactive_open_beneath(folder.descriptor, $0, followsLinks)
                if probe >= 0 { close(probe) }
                return probe
            }
        }
        guard isMissing else { throw SystemFailure(errno: -result) }
        walks.store(true, ordering: .relaxed)
        return try walk(components)
    }

    /// Whether the failed call means that the system has no openat2. A sandbox that does not know it may answer EPERM. So
    /// may the system for one file. Therefore `probe` opens the folder itself.
    static func isOpenat2Missing(_ result: Int32, probe: () -> Int32) -> Bool {
        switch result {
        case -ENOSYS: true
        case -EPERM: [-EPERM, -ENOSYS].contains(probe())
        default: false
        }
    }

    private func walk(_ components: [[UInt8]]) throws(SystemFailure) -> OpenFile {
        var parent = folder
        for (index, name) in (components.isEmpty ? [Array(".".utf8)] : components).enumerated() {
            // openat2 prevents this too.
            if name == Array("..".utf8) { throw SystemFailure(errno: EXDEV) }
            let isLast = index >= components.count - 1
            let result = unsafe Self.withCString(name) {
                unsafe reactive_open_component(parent.descriptor, $0, !isLast)
            }
            guard result >= 0 else { throw SystemFailure(errno: -result) }
            parent = OpenFile(adopting: result)
        }
        return parent
    }

    private static func withCString(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
        precondition(!bytes.contains(0))
        let text = bytes.map { CChar(bitPattern: $0) } + [0]
        return unsafe text.withUnsafeBufferPointer { buffer in
            // Safe: the array has at least one element.
            unsafe body(buffer.baseAddress!)
        }
    }
}
