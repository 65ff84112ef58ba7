// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import ReactiveSockets
    import ReactiveSupport
    import Testing

    @testable import ReactiveTLS

    /// Files that are damaged, incomplete, or something else.
    @Suite struct PEMAttackTests {
        private let certificates = Certificates.shared

        @Test("A key with a password is refused, and asks nobody for it")
        func password() { #expect(errors(certificates.file("locked.key"))[1] == .unreadable) }

        /// The error of reading a chain, a key and trusted certificates from `source`, each.
        private func errors(_ source: PEM) -> [TLSError.Code?] {
            var chain = certificates.server()
            chain.certificateChain = source
            var key = certificates.server()
            key.privateKey = source
            var roots = certificates.client()
            roots.trustRoots = source
            return [chain, key, roots].map { configuration in
                do throws(TLSError) {
                    _ = try TLSContext(configuration)
                    return nil
                } catch { return error.code }
            }
        }

        @Test("Files and texts without PEM are unreadable")
        func unreadable() throws {
            var sources: [PEM] = [
                .text(""), .text("-----BEGIN"), .text("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"),
                .text(Bytes(repeatElement(0, count: 100_000))), .text(Bytes(repeatElement(10, count: 100_000))),
                .text(Bytes(repeatElement(65, count: 3_000_000))), .file("/tmp"), .file("/dev/null"), .file(""),
                .file("/nowhere/at/all"),
            ]
            var random = SplitMix64(seed: 1)
            for _ in 0..<50 {
                sources.append(.text(Bytes((0..<random.number(1...5_000)).map { _ in UInt8(random.number(0...255)) })))
            }
            for source in sources { #expect(errors(source) == [.unreadable, .unreadable, .unreadable], "\(source)") }
        }

        @Test("A file that is cut anywhere, as while it is written, is not used")
        func cut() throws {
            let (first, rest) = (try certificates.contents("server.pem"), try certificates.contents("ca.pem"))
            let chain = first + rest
            // Before the end of the next first line, the file ends with a whole certificate.
            let whole = first.count - 1..<first.count + "-----BEGIN CERTIFICATE-----".utf8.count
            for count in Set(0..<chain.count).subtracting(whole).subtracting([chain.count - 1]) {
                var settings = certificates.server()
                settings.certificateChain = .text(Bytes(chain.prefix(count)))
                #expect("\(count) of \(chain.count) bytes") { _ = try TLSContext(settings) } throws: { error in
                    (error as? TLSError)?.code == .unreadable
                }
            }
            for count in whole {
                var settings = certificates.server()
                settings.certificateChain = .text(Bytes(chain.prefix(count)))
                _ = try TLSContext(settings)
            }
        }

        @Test("Changed files are refused or used, and nothing traps")
        func mutations() throws {
            var random = SplitMix64(seed: 7)
            let files = try ["server.pem", "server.key", "ca.pem"].map { try certificates.contents($0) }
            for number in 0..<300 {
                var text = files[number % 3]
                for _ in 0..<random.number(1...3) {
                    let place = random.number(0...text.count - 1)
                    switch random.number(0...3) {
                    case 0: text[place] = UInt8(random.number(0...255))
                    case 1: text[place] ^= 1 << UInt8(random.number(0...7))
                    case 2: text.insert(contentsOf: text.prefix(place), at: place)
                    default: text.removeSubrange(place..<min(text.count, place + random.number(1...100)))
                    }
                    if text.isEmpty { break }
                }
                let allowed: [TLSError.Code?] = [nil, .unreadable, .keyMismatch]
                for code in errors(.text(Bytes(text))) { #expect(allowed.contains(code), "\(number): \(code as Any)") }
            }
        }
    }
#endif
