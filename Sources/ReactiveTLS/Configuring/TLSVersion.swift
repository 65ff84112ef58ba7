// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL

    /// A version of the protocol.
    public struct TLSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
        let number: Int32
        /// The version's name, such as "TLS 1.3".
        public let description: String

        init(number: Int32, _ description: String) {
            self.number = number
            self.description = description
        }

        /// TLS 1.2 (RFC 5246).
        public static let tls12 = TLSVersion(number: TLS1_2_VERSION, "TLS 1.2")
        /// TLS 1.3 (RFC 8446).
        public static let tls13 = TLSVersion(number: TLS1_3_VERSION, "TLS 1.3")

        public static func < (lhs: TLSVersion, rhs: TLSVersion) -> Bool { lhs.number < rhs.number }
    }
#endif
