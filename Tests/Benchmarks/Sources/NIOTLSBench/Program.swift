// SPDX-License-Identifier: MIT
import Measure
import NIOCore
import NIOSSL
import NIOServers

/// SwiftNIO's echo server with swift-nio-ssl: `nio-tls-bench --chain chain.pem --key key.pem`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        let (chain, key) = (arguments.required("chain"), arguments.required("key"))
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(chain).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        )
        let context = try NIOSSLContext(configuration: configuration)
        try serveEcho(arguments) { channel in
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
    }
}
