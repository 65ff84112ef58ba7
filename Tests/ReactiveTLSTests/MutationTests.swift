// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import ReactiveSockets
    import ReactiveTLS
    import Testing

    /// Changed hellos and records: each is refused or ignored, and nothing traps or leaks. `TLS_MUTATIONS` sets the number.
    @Suite struct MutationTests {
        private static let count = getenv("TLS_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 1_000
        private let certificates = Certificates.shared

        /// SplitMix64, so that a failing seed can be repeated.
        private struct Random: RandomNumberGenerator {
            var state: UInt64

            mutating func next() -> UInt64 {
                state &+= 0x9E37_79B9_7F4A_7C15
                var word = state
                word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
                word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
                return word ^ word >> 31
            }
        }

        /// Changes, removes, repeats or inserts bytes.
        private func mutated(_ bytes: Bytes, _ random: inout Random) -> Bytes {
            var all = Array(bytes)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !all.isEmpty {
                let place = Int.random(in: all.indices, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: all[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: all[place] = UInt8.random(in: 0...255, using: &random)
                case 2: all.removeSubrange(place..<min(all.count, place + Int.random(in: 1...40, using: &random)))
                case 3: all.insert(contentsOf: all[place...].prefix(20), at: place)
                case 4: all.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default: all.removeLast(min(all.count, Int.random(in: 1...200, using: &random)))
                }
            }
            return Bytes(all)
        }

        @Test("Changed hellos", arguments: [TLSVersion.tls12, .tls13])
        func hellos(version: TLSVersion) throws {
            var settings = certificates.client()
            settings.maximumVersion = version
            let server = try TLSContext(certificates.server())
            let client = try TLSContext(settings)
            for seed in 1...Self.count {
                var random = Random(state: UInt64(seed))
                var wire = Wire(client, server)
                wire.tamper = { bytes in self.mutated(bytes, &random) }
                wire.begin()
                wire.run()
                if wire.server.failure == nil, wire.client.failure == nil {
                    wire.server.call { transformer, out throws(SocketError) in try transformer.receiveEnd(&out) }
                }
                #expect(wire.server.received.isEmpty, "seed \(seed)")
            }
        }

        @Test("Changed records", arguments: [TLSVersion.tls12, .tls13])
        func records(version: TLSVersion) throws {
            var settings = certificates.client()
            settings.maximumVersion = version
            let server = try TLSContext(certificates.server())
            let client = try TLSContext(settings)
            for seed in 1...max(1, Self.count / 4) {
                var random = Random(state: UInt64(seed))
                var wire = Wire(client, server)
                wire.begin()
                wire.tamper = { bytes in self.mutated(bytes, &random) }
                wire.send(Bytes(repeatElement(7, count: Int.random(in: 1...2_000, using: &random))))
                wire.run()
                // A prefix of what was sent may have arrived before the change.
                #expect(wire.server.received.allSatisfy { $0 == 7 }, "seed \(seed)")
                #expect(wire.server.received.count <= 2_000, "seed \(seed)")
            }
        }
    }
#endif
