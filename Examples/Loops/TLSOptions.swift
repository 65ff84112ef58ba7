// SPDX-License-Identifier: MIT
public import ArgumentParser
import Glibc
public import ReactiveCore
public import ReactiveSockets

#if TLS
    import ReactiveTLS
#endif

/// The options of a server that speak TLS: `--tls-cert`, `--tls-key` and `--tls-client-ca`.
public struct TLSOptions: ParsableArguments {
    @Option(
        name: .customLong("tls-cert"),
        help: "The server's certificate in PEM format, then the intermediate ones. With it, peers must use TLS."
    )
    public var certificate: String?

    @Option(name: .customLong("tls-key"), help: "The private key of the certificate in PEM format. SIGHUP reads both.")
    public var key: String?

    @Option(
        name: .customLong("tls-client-ca"),
        help: "Certificates in PEM format. A client must send a certificate that one of them has signed."
    )
    public var clientAuthorities: String?

    public init() {}

    public func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--tls-cert and --tls-key need each other")
        }
        guard clientAuthorities == nil || certificate != nil else {
            throw ValidationError("--tls-client-ca needs --tls-cert and --tls-key")
        }
        #if !TLS
            guard certificate == nil else {
                throw ValidationError("--tls-cert needs TLS, which this build lacks: build with the package trait TLS")
            }
        #endif
    }

    /// Reads the files, and creates the argument `transformer` of a server. nil without `--tls-cert`.
    ///
    /// On SIGHUP the files are read again. If that fails, the old certificate remains in use.
    ///
    /// - Parameter main: The loop that handles SIGHUP. Call this method on its thread, or before it runs.
    /// - Throws: A `Failure` if a file cannot be used. Also the errors of `onSignal`.
    public func transformer(on main: any LoopScheduler) throws -> (@Sendable () -> any ConnectionTransformer)? {
        #if TLS
            guard let certificate, let key else { return nil }
            var configuration = TLSConfiguration.server(certificateChain: .file(certificate), privateKey: .file(key))
            if let clientAuthorities {
                configuration.trustRoots = .file(clientAuthorities)
                configuration.clientCertificates = .required
            }
            let tls: TLSContext
            do {
                tls = try TLSContext(configuration)
            } catch {
                throw Failure(description: error.message)
            }
            _ = try main.onSignal(.hangUp) {
                do {
                    try tls.reload()
                    print("reloaded \(certificate)")
                } catch {
                    print("cannot reload \(certificate), so the old certificate stays in use: \(error)")
                }
                fflush(nil)
            }
            return tls.server
        #else
            return nil
        #endif
    }
}
