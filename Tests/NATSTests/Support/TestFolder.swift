// SPDX-License-Identifier: MIT
#if NATS
    import Foundation

    /// A temporary folder that is removed with this object.
    final class TestFolder: Sendable {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("nats-test-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        /// Writes a file with this text, readable by its owner only.
        func file(_ name: String, _ text: String) throws -> String {
            let path = url.appendingPathComponent(name).path
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            return path
        }
    }
#endif
