// SPDX-License-Identifier: MIT
#if NATS
    import Foundation
    import LoopTestSupport
    import ReactiveNATS
    import ReactiveSupport
    import SchedulerConformance

    /// A key and a self-signed certificate, valid for the test, which `openssl` creates.
    struct Certificate {
        let certificate: String
        let key: String

        /// The settings of a client that trusts only this certificate, which must name localhost.
        var security: NATSSecurity {
            NATSSecurity(trustedCertificates: certificate, expectedHostname: "localhost")
        }

        /// Creates a certificate for 127.0.0.1 and the given name.
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
            let ended = Latch()
            process.terminationHandler = { _ in ended.arrive() }
            try process.run()
            try ended.wait("openssl")
            precondition(process.terminationStatus == 0, "openssl has made no certificate")
            (self.certificate, self.key) = (certificate.path, key.path)
        }
    }
#endif
