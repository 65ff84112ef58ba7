// SPDX-License-Identifier: MIT
#if NATS
    import COpenSSL
    import ReactiveSockets
    import ReactiveSupport

    /// The seed of an NKey, which signs the challenge of a server: a key of Ed25519 in base32, with a checksum
    /// (github.com/nats-io/nkeys).
    ///
    /// Safe: OpenSSL receives arrays with their sizes, and keeps no pointer to them.
    struct NKey {
        /// The seed, 32 bytes.
        private let seed: [UInt8]

        /// - Throws: `wrongCredentials` if the text is not a seed.
        init(seed text: String) throws(NATSError) {
            // Two bytes of prefix, of which the first five bits are `S`, the seed, and its checksum, low byte first.
            guard let bytes = Self.decode(text.utf8), bytes.count == 36, text.hasPrefix("S"),
                Self.checksum(bytes[..<34] + [bytes[35], bytes[34]]) == 0
            else { throw NATSError(.wrongCredentials, "the seed of the NKey is invalid") }
            seed = Array(bytes[2..<34])
        }

        /// Signs a challenge. Returns the signature in base64url, as `CONNECT` needs it.
        ///
        /// - Throws: `library` if OpenSSL fails.
        func sign(_ nonce: String) throws(NATSError) -> String {
            let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
            let context = unsafe EVP_MD_CTX_new()
            defer {
                unsafe EVP_MD_CTX_free(context)
                unsafe EVP_PKEY_free(key)
            }
            let message = Array(nonce.utf8)
            var signature = [UInt8](repeating: 0, count: 64)
            var count = signature.count
            guard unsafe key != nil, unsafe context != nil, unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
            else { throw NATSError(.library, "OpenSSL cannot sign the server's challenge") }
            return Base64.encodeForURL(signature)
        }

        /// Decodes base32 (RFC 4648 section 6) without padding.
        private static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
            var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
            for character in text {
                let value: UInt8
                switch character {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
                case UInt8(ascii: "2")...UInt8(ascii: "7"): value = character - UInt8(ascii: "2") + 26
                default: return nil
                }
                bits = bits << 5 | UInt32(truncatingIfNeeded: value)
                count += 5
                if count >= 8 {
                    count -= 8
                    bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                }
            }
            return bytes
        }

        /// CRC-16/XMODEM. It is 0 if the bytes end with their checksum, high byte first.
        private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
            bytes.reduce(0) { sum, byte in
                (0..<8).reduce(sum ^ UInt16(truncatingIfNeeded: byte) << 8) { sum, _ in
                    sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1
                }
            }
        }
    }
#endif
