// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import ReactiveTLS
    import Testing

    /// Changed handshakes and records: each is refused or harmless, and nothing traps or leaks. `TLS_MUTATIONS` sets the
    /// number (`make fuzz-tls`).
    @Suite(.serialized) struct MutationTests {
        private static let count = getenv("TLS_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 2_000
        private static let firstSeed = getenv("TLS_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
        private let certificates = Certificates.shared

        /// What the attacker changes.
        private enum Target: CaseIterable { case server, client }

        /// The contexts of one conversation.
        private struct Pair {
            let client: TLSContext
            let server: TLSContext
        }

        /// Pairs with and without resumption, client certificates, and a choice by host name.
        private func pairs(_ version: TLSVersion) throws -> [Pair] {
            var client = certificates.client()
            client.maximumVersion = version
            client.applicationProtocols = ["h2", "http/1.1"]
            var server = certificates.server()
            server.applicationProtocols = ["http/1.1", "h2"]
            var pairs = [Pair(client: try TLSContext(client), server: try TLSContext(server))]
            client.resumesSessions = false
            pairs.append(Pair(client: try TLSContext(client), server: try TLSContext(server)))
            client.certificateChain = certificates.file("client.pem")
            client.privateKey = certificates.file("client.key")
            server.trustRoots = certificates.file("ca.pem")
            server.clientCertificates = .required
            let strict = try TLSContext(server)
            pairs.append(Pair(client: try TLSContext(client), server: strict))
            server.contextForServerName = { _ in .just(strict) }
            pairs.append(Pair(client: try TLSContext(client), server: try TLSContext(server)))
            return pairs
        }

        @Test("Changed flights", arguments: [TLSVersion.tls12, .tls13], Target.allCases)
        private func flights(version: TLSVersion, target: Target) throws {
            let pairs = try pairs(version)
            let heap = HeapTrend(every: 10_000)
            let count = max(1, Self.count / 4)
            var mutator = Mutator(seed: Self.firstSeed)
            for number in 0..<count {
                let seed = Self.firstSeed + UInt64(number)
                mutator.random = SplitMix64(seed: seed)
                let pair = pairs[number % pairs.count]
                play(pair, target, &mutator, seed)
                heap.count("TLS: \(version), \(target) attacked")
            }
            #expect(heap.growth < 1_000_000)
        }

        private func play(_ pair: Pair, _ target: Target, _ mutator: inout Mutator, _ seed: UInt64) {
            var wire = Wire(pair.client, pair.server)
            // Small chunks are rare, because each is a call.
            let chunks = [1, 2, 5, 20, 20, 100, 100, 100, 1_000, 1_000]
            let chunk = mutator.random.number(0...39)
            wire.chunk = chunk < chunks.count ? chunks[chunk] : Int.max
            // Half of the conversations begin with an honest handshake. Otherwise the attack begins in some flight.
            var honest = mutator.random.number(0...1) == 0 ? Int.max : mutator.random.number(0...2)
            withUnsafeMutablePointer(to: &mutator) { mutator in
                let tamper: (Bytes) -> Bytes = { bytes in
                    if honest > 0, !bytes.isEmpty { honest -= 1; return bytes }
                    return mutator.pointee.mutated(bytes)
                }
                if target == .server { wire.tamper = tamper } else { wire.tamperReply = tamper }
                wire.begin()
                honest = min(honest, 0)
                for _ in 0..<mutator.pointee.random.number(1...3) {
                    exchange(&wire, mutator.pointee.random.number(1...400), seed)
                }
                wire.finishClient()
                wire.server.call { transformer, out throws(SocketError) in try transformer.finishSending(&out) }
                wire.run()
            }
            wire.client.call { transformer, out throws(SocketError) in try transformer.receiveEnd(&out) }
            wire.server.call { transformer, out throws(SocketError) in try transformer.receiveEnd(&out) }
        }

        /// Sends in both directions. Whatever an attacker does, what arrives is what was sent, or its beginning.
        private func exchange(_ wire: inout Wire, _ count: Int, _ seed: UInt64) {
            if wire.client.failure == nil { wire.send(Bytes(repeatElement(7, count: count))) }
            if wire.server.failure == nil { wire.send(Bytes(repeatElement(9, count: count)), fromServer: true) }
            wire.run()
            let areIntact = wire.server.received.allSatisfy { $0 == 7 } && wire.client.received.allSatisfy { $0 == 9 }
            #expect(areIntact, "seed \(seed)")
            let counts = (wire.server.received.count, wire.client.received.count)
            #expect(counts.0 <= 1_200 && counts.1 <= 1_200, "seed \(seed)")
            guard wire.client.failure == nil, wire.server.failure == nil else { return }
            // If both sides have completed a handshake, they agree. So nobody can force a weaker version or protocol.
            if let client = wire.client.info, let server = wire.server.info {
                #expect(client.version == server.version && client.cipher == server.cipher, "seed \(seed)")
                #expect(client.applicationProtocol == server.applicationProtocol, "seed \(seed)")
            }
        }
    }
#endif
