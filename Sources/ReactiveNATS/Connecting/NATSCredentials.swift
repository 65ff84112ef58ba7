#if NATS
    /// Who a client is, as the server is told; passed on to nats.c. What a server's address says (`nats://user:password@…`) wins.
    public struct NATSCredentials: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case none
            case user(String, password: String)
            case token(String)
            case files(String, seed: String?)
            case nkey(String, seedFile: String)
        }

        let kind: Kind

        /// Nobody in particular.
        public static let none = NATSCredentials(kind: .none)

        /// A user with a password.
        public static func user(_ name: String, password: String) -> NATSCredentials {
            NATSCredentials(kind: .user(name, password: password))
        }

        /// Whoever has the token.
        public static func token(_ token: String) -> NATSCredentials { NATSCredentials(kind: .token(token)) }

        /// A user's JWT and seed: one file with both (`.creds`), or the seed in a file of its own. They are read at each
        /// connection.
        public static func files(_ path: String, seed: String? = nil) -> NATSCredentials {
            NATSCredentials(kind: .files(path, seed: seed))
        }

        /// An NKey: the public key, and the file that has its seed.
        public static func nkey(_ publicKey: String, seedFile: String) -> NATSCredentials {
            NATSCredentials(kind: .nkey(publicKey, seedFile: seedFile))
        }
    }
#endif
