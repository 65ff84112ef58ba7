// SPDX-License-Identifier: MIT
import ArgumentParser
import Loops

/// Sends a file to a TLS server, and writes what the server sends to another file.
@main
struct TLSClient: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls-client",
        abstract: "Sends a file to a TLS server, and writes what the server sends to another file.",
        discussion: """
            It prints one line for each connection: the number of received bytes, and what TLS has agreed on. It ends \
            its stream after --count bytes have arrived, or when the server has ended its own. It exits with 1 if a \
            connection fails.
            """
    )

    @Option(help: "The event loop: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The name or the address of the server, which its certificate must contain.")
    var host = "localhost"

    @Option(help: "The server's port.")
    var port: Int

    @Option(help: "The certificates to trust, in PEM format. The default is those of the system.")
    var ca: String?

    @Option(help: "The client's certificate in PEM format.")
    var cert: String?

    @Option(help: "The private key of the client's certificate in PEM format.")
    var key: String?

    @Option(help: "The file to send. Nothing by default.")
    var input: String?

    @Option(help: "The file to write received bytes to. They are only counted by default.")
    var output: String?

    @Option(help: "End the stream after this many bytes have arrived.")
    var count: Int?

    @Flag(help: "End the stream after the file, and still receive (TLS 1.3).")
    var halfClose = false

    @Option(help: "The number of connections, one after the other. From the second on, the session is resumed.")
    var connections = 1

    @Option(help: "The only version: 1.2 or 1.3. Both by default.")
    var version: String?

    @Option(help: "An application protocol to offer, such as http/1.1 (ALPN).")
    var alpn: [String] = []

    func validate() throws {
        guard (1...65535).contains(port) else { throw ValidationError("--port must be a number from 1 to 65535") }
        guard (cert == nil) == (key == nil) else { throw ValidationError("--cert and --key need each other") }
        guard connections >= 1 else { throw ValidationError("--connections must be 1 or more") }
        guard count ?? 0 >= 0 else { throw ValidationError("--count must be 0 or more") }
        guard version == nil || version == "1.2" || version == "1.3" else {
            throw ValidationError("--version must be 1.2 or 1.3")
        }
        #if !TLS
            throw ValidationError("this build lacks TLS: build with the package trait TLS")
        #endif
    }

    func run() throws {
        #if TLS
            try Failure.reporting { try talk() }
        #endif
    }
}
