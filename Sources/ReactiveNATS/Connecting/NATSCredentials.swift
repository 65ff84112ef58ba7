// SPDX-License-Identifier: MIT
#if NATS
    /// The credentials of a client. Credentials in a server's address (`nats://user:password@…`)
    /// take precedence.
    public struct NATSCredentials: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case none
            case user(String, password: String)
            case token(String)
            case files(String, seed: String?)
            case nkey(String, seedFile: String)
        }

        let kind: Kind

        /// No credentials.
        public static let none = NATSCredentials(kind: .none)

        /// A user name and a password.
        public static func user(_ name: String, password: String) -> NATSCredentials {
            NATSCredentials(kind: .user(name, password: password))
        }

        /// A token.
        public static func token(_ token: String) -> NATSCredentials { NATSCredentials(kind: .token(token)) }

        /// A user's JWT and seed: one file with both (`.creds`), or a separate file for the seed. The files are read
        /// for each connection.
        public static func files(_ path: String, seed: String? = nil) -> NATSCredentials {
            NATSCredentials(kind: .files(path, seed: seed))
        }

        /// An NKey: the public key, and the file that contains its seed.
        public static func nkey(_ publicKey: String, seedFile: String) -> NATSCredentials {
            NATSCredentials(kind: .nkey(publicKey, seedFile: seedFile))
        }
    }
#endif
