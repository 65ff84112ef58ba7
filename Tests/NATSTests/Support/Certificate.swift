#if NATS
    import Foundation
    import ReactiveSupport

    /// A key and a certificate for it that nobody else has signed, for an hour's test: `openssl` makes them.
    struct Certificate {
        let certificate: String
        let key: String

        /// For a server at 127.0.0.1, or for somebody of that name.
        init(named name: String, in folder: URL) throws {
            let (certificate, key) = (
                folder.appendingPathComponent("\(name).pem"), folder.appendingPathComponent("\(name).key")
            )
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2",
                ]
                + ["-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name),IP:127.0.0.1"]
                + ["-keyout", key.path, "-out", certificate.path]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            precondition(process.terminationStatus == 0, "openssl has made no certificate")
            (self.certificate, self.key) = (certificate.path, key.path)
        }
    }
#endif
