// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import Glibc
    import LoopTestSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveTLS

    /// A test CA and certificates of it, which the openssl command creates in a temporary folder.
    final class Certificates: Sendable {
        static let shared = Certificates()

        private let folder: String

        private init() {
            guard let made = try? TestFolder() else { preconditionFailure("no temporary folder") }
            folder = made.path
            atexit { _ = system("rm -rf \(Certificates.shared.folder)") }
            run(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -subj /CN=test-ca -days 2"
            )
            make("server", "DNS:localhost,IP:127.0.0.1")
            make("other", "DNS:other.example")
            make("expired", "DNS:localhost", days: "-1")
            make("client", "DNS:client")
            run("pkey -in server.key -aes256 -passout pass:secret -out locked.key")
            run(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout self.key -out self.pem -subj /CN=localhost -days 2"
            )
        }

        private func make(_ name: String, _ names: String, days: String = "2") {
            run(
                "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).csr -subj /CN=\(name) -addext subjectAltName=\(names)"
            )
            run(
                "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -out \(name).pem -days \(days) -copy_extensions copy"
            )
        }

        private func run(_ arguments: String) {
            let status = system("cd \(folder) && openssl \(arguments) >>log 2>&1")
            precondition(status == 0, "openssl \(arguments) failed")
        }

        func file(_ name: String) -> PEM { .file("\(folder)/\(name)") }
        func path(_ name: String) -> String { "\(folder)/\(name)" }

        func contents(_ name: String) throws -> [UInt8] {
            let file = try #require(fopen(path(name), "r"))
            defer { fclose(file) }
            var all = [UInt8](repeating: 0, count: 100_000)
            let count = fread(&all, 1, all.count, file)
            return Array(all.prefix(count))
        }

        func server(_ name: String = "server") -> TLSConfiguration {
            var configuration = TLSConfiguration.server(
                certificateChain: file("\(name).pem"),
                privateKey: file("\(name).key")
            )
            configuration.handshakeTimeout = Self.patience
            return configuration
        }

        /// A time limit that only a test that hangs reaches, however busy the machine is.
        private static let patience = Duration.seconds(Latch.limit)

        /// A client of at most a version.
        func client(_ version: TLSVersion) throws -> TLSContext {
            var configuration = client()
            configuration.maximumVersion = version
            return try TLSContext(configuration)
        }

        func client() -> TLSConfiguration {
            var configuration = TLSConfiguration()
            configuration.trustRoots = file("ca.pem")
            configuration.handshakeTimeout = Self.patience
            return configuration
        }

        /// A server whose session tickets take two records.
        func fragmentingServer() throws -> TLSContext {
            var settings = server()
            settings.trustRoots = file("ca.pem")
            settings.clientCertificates = .required
            let context = try TLSContext(settings)
            #expect(SSL_CTX_ctrl(context.current.pointer, SSL_CTRL_SET_MAX_SEND_FRAGMENT, 512, nil) == 1)
            return context
        }

        func identifiedClient(_ version: TLSVersion) throws -> TLSContext {
            var settings = client()
            settings.maximumVersion = version
            settings.certificateChain = file("client.pem")
            settings.privateKey = file("client.key")
            return try TLSContext(settings)
        }
    }
#endif
