// SPDX-License-Identifier: MIT
#if NATS
    import Foundation
    import LoopTestSupport

    extension TestFolder {
        /// Writes a file with this text, readable by its owner only.
        func file(_ name: String, _ text: String) throws -> String {
            let path = path(name)
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            return path
        }

        /// The settings of a server with authorization. By itself a server allows two seconds for it, and a machine may pause
        /// for as long.
        func settings(authorization: String) throws -> String {
            try file("\(UUID().uuidString).conf", "authorization { \(authorization), timeout: 600 }\n")
        }

        /// The settings of a server with TLS, which asks for certificates of clients if `clients` are trusted. A handshake may
        /// take longer than the two seconds that a server allows by itself.
        func settings(certificate own: Certificate, clients: Certificate? = nil) throws -> String {
            let clients = clients.map { ", ca_file: \"\($0.certificate)\", verify: true" } ?? ""
            let tls = "cert_file: \"\(own.certificate)\", key_file: \"\(own.key)\", timeout: 600\(clients)"
            return try file("\(UUID().uuidString).conf", "tls { \(tls) }\n")
        }
    }
#endif
