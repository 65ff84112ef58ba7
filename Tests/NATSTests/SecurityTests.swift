// SPDX-License-Identifier: MIT
#if NATS
    import Foundation
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveNATS

    extension NATSTests {
        @Suite struct SecurityTests {
            @Test("A server with a token accepts only that token", arguments: LoopKind.all)
            func aTokenIsAsked(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let settings = try folder.settings(authorization: "token: right")
                try await withBench(kind, NATSServer("-c", settings)) { bench in
                    var options = NATSOptions.quick
                    options.credentials = .token("wrong")
                    #expect(try await bench.refusal(options) == .wrongCredentials)
                    options.credentials = .token("right")
                    let client = try await bench.client(options)
                    #expect(client.isConnected)
                }
            }

            // The key pair from the documentation of NATS.
            static let nkey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
            static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"

            @Test("A client signs the server's challenge with its NKey", arguments: LoopKind.all)
            func anNKeySignsWhatTheServerAsks(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let settings = try folder.settings(authorization: "users: [ { nkey: \(Self.nkey) } ]")
                try await withBench(kind, NATSServer("-c", settings)) { bench in
                    #expect(try await bench.refusal() == .wrongCredentials)
                    var options = NATSOptions.quick
                    options.credentials = .nkey(Self.nkey, seedFile: try folder.file("seed", Self.seed))
                    let client = try await bench.client(options)
                    let heard = try await client.record("x")
                    #expect(try await failure(of: client.publish("signed", to: "x")) == nil)
                    try await eventually("a message") { heard.texts == ["signed"] }
                    options.credentials = .nkey(Self.nkey, seedFile: folder.url.path + "/none")
                    #expect(try await bench.refusal(options) != nil)
                }
            }

            /// The second test of RFC 8032 section 7.1.
            @Test("An NKey signs as Ed25519 does, and a changed seed is refused")
            func signature() throws {
                let seed = "SUAEZTIITMUP7FW2TW3MGRXMCFHA6W4KGGPTLK5GETNIZ5XNJ64KN63OVI"
                let signature =
                    "kqAJqfDUyrhyDoILX2QlQKKye1QWUD-Ps3YiI-vbado"
                    + "IWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA"
                #expect(try NKey(seed: seed).sign("r") == signature)
                #expect(throws: NATSError.self) { try NKey(seed: seed.replacing("ITM", with: "ITN")) }
                #expect(throws: NATSError.self) { try NKey(seed: String(seed.dropLast())) }
                #expect(throws: NATSError.self) { try NKey(seed: "") }
            }

            @Test("Through TLS all messages arrive complete and in order", arguments: LoopKind.all)
            func throughTLSAllOfItArrivesInOrder(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let own = try Certificate(named: "localhost", in: folder.url)
                try await withBench(kind, NATSServer("-c", folder.settings(certificate: own))) { bench in
                    var options = NATSOptions.quick
                    options.security = own.security
                    let client = try await bench.client(options)
                    let heard = try await client.record("x")
                    // More than the size of a TLS record, of a read, and of the send buffer.
                    let messages = (0..<40).map { number in
                        Bytes([UInt8](repeating: UInt8(number), count: 25_000 * number))
                    }
                    let publishing = client.publish(
                        from: Signal<NATSMessage, Never>(values: messages.map { NATSMessage($0, to: "x") })
                    )
                    #expect(try await failure(of: publishing) == nil)
                    try await eventually("the last") { heard.messages.count == messages.count }
                    #expect(heard.messages.values.map(\.payload) == messages)
                }
            }

            @Test("An untrusted server certificate is refused", arguments: LoopKind.all)
            func aServerThatIsNotTrustedIsRefused(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let own = try Certificate(named: "localhost", in: folder.url)
                let other = try Certificate(named: "elsewhere", in: folder.url)
                try await withBench(kind, NATSServer("-c", folder.settings(certificate: own))) { bench in
                    var options = NATSOptions.quick
                    for security in [
                        NATSSecurity(), NATSSecurity(trustedCertificates: other.certificate),
                        NATSSecurity(trustedCertificates: own.certificate, expectedHostname: "elsewhere"),
                    ] {
                        options.security = security
                        #expect(try await bench.refusal(options) == .insecure, "\(security)")
                    }
                    options.security = NATSSecurity(verifiesServer: false)
                    let client = try await bench.client(options)
                    #expect(client.isConnected)
                }
            }

            @Test("A client sends its certificate to a server that asks for one", arguments: LoopKind.all)
            func aServerThatAsksForACertificateGetsIt(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let own = try Certificate(named: "localhost", in: folder.url)
                let ann = try Certificate(named: "ann", in: folder.url)
                let server = try await NATSServer("-c", folder.settings(certificate: own, clients: ann))
                try await withBench(kind, server) { bench in
                    var options = NATSOptions.quick
                    options.security = own.security
                    #expect(try await bench.refusal(options) != nil)
                    options.security?.certificates = ann.certificate
                    options.security?.privateKey = ann.key
                    let client = try await bench.client(options)
                    let heard = try await client.record("x")
                    #expect(try await failure(of: client.publish("who I am", to: "x")) == nil)
                    try await eventually("a message") { heard.texts == ["who I am"] }
                }
            }
        }
    }
#endif
