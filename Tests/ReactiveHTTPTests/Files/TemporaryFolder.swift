// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import LoopTestSupport
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    /// A temporary folder with files. It contains the folder `root`, and beside it the file `secret`. ``remove()`` deletes it.
    struct TemporaryFolder: Sendable {
        static let secret = "the sentinel outside of the root"
        let path: String
        var root: String { "\(path)/root" }

        init() throws {
            path = try TestFolder().path
            try folder("root")
            try file("secret", Array(Self.secret.utf8))
        }

        func remove() { _ = system("chmod -R u+rwx \(path) && rm -rf \(path)") }

        /// Creates a folder at a path below this one.
        func folder(_ name: String) throws {
            try #require(mkdir("\(path)/\(name)", 0o755) == 0, "mkdir \(name)")
        }

        /// Creates or replaces the content of a file at a path below this one.
        func file(_ name: String, _ bytes: [UInt8]) throws {
            let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            try #require(descriptor >= 0, "open \(name)")
            defer { close(descriptor) }
            var offset = 0
            while offset < bytes.count {
                let count = bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                try #require(count > 0)
                offset += count
            }
        }

        func file(_ name: String, _ text: String) throws { try file(name, Array(text.utf8)) }

        func link(_ name: String, to target: String) throws {
            try #require(symlink(target, "\(path)/\(name)") == 0, "symlink \(name)")
        }

        /// Sets the time of the last change, in seconds since 1970.
        func setTime(_ name: String, _ seconds: Int, nanoseconds: Int = 0) throws {
            let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
            try #require(utimensat(AT_FDCWD, "\(path)/\(name)", [time, time], 0) == 0)
        }

        /// The number of descriptors of this process for files of this folder, except the folder `root` itself.
        var openCount: Int {
            OpenDescriptors.targets().values.filter { $0.hasPrefix("\(root)/") }.count
        }
    }
#endif
