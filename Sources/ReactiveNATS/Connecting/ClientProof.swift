// SPDX-License-Identifier: MIT
#if NATS
    import Glibc
    import ReactiveSockets

    /// Credentials whose files have been read.
    struct ClientProof: Sendable {
        private enum Kind: Sendable {
            case none
            case user(String, password: String)
            case token(String)
            case jwt(String, NKey)
            case nkey(String, NKey)
        }

        private let kind: Kind

        /// Reads the files of the credentials, so it may block.
        ///
        /// - Throws: `wrongCredentials` if a file cannot be read, or has no credentials.
        init(_ credentials: NATSCredentials) throws(NATSError) {
            switch credentials.kind {
            case .none: kind = .none
            case .user(let name, let password): kind = .user(name, password: password)
            case .token(let token): kind = .token(token)
            case .files(let path, let seed):
                let text = try Self.text(of: path)
                let seedText = try seed.map { (path) throws(NATSError) in try Self.text(of: path) } ?? text
                guard let jwt = Self.block("JWT", of: text), let seed = Self.block("SEED", of: seedText) else {
                    throw NATSError(.wrongCredentials, "\(path) does not contain a JWT and the seed of an NKey")
                }
                kind = .jwt(jwt, try NKey(seed: seed))
            case .nkey(let publicKey, let path):
                guard let seed = Self.block("SEED", of: try Self.text(of: path)) else {
                    throw NATSError(.wrongCredentials, "\(path) does not contain the seed of an NKey")
                }
                kind = .nkey(publicKey, try NKey(seed: seed))
            }
        }

        /// The members of `CONNECT` that prove the credentials. Those of the address take precedence.
        ///
        /// - Throws: `library` if OpenSSL cannot sign.
        func members(
            _ address: ServerAddress.Credentials?,
            nonce: String?
        ) throws(NATSError) -> [String: JSONValue] {
            switch address {
            case .user(let name, let password): return ["user": .string(name), "pass": .string(password)]
            case .token(let token): return ["auth_token": .string(token)]
            case nil: break
            }
            switch kind {
            case .none: return [:]
            case .user(let name, let password): return ["user": .string(name), "pass": .string(password)]
            case .token(let token): return ["auth_token": .string(token)]
            case .jwt(let jwt, let key): return ["jwt": .string(jwt), "sig": .string(try key.sign(nonce ?? ""))]
            case .nkey(let publicKey, let key):
                return ["nkey": .string(publicKey), "sig": .string(try key.sign(nonce ?? ""))]
            }
        }

        /// The line after `-----BEGIN … JWT-----` or `… SEED-----`. A file without such lines is one block.
        private static func block(_ name: String, of text: String) -> String? {
            let lines = text.split(whereSeparator: \.isNewline)
                .map { $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ") }.filter { !$0.isEmpty }
            if !lines.contains(where: { $0.hasPrefix("---") }) {
                return lines.first { name == "SEED" ? $0.hasPrefix("S") : true }
            }
            guard let begin = lines.firstIndex(where: { $0.hasPrefix("---") && $0.contains(name) }) else { return nil }
            return lines[(begin + 1)...].first
        }

        private static func text(of path: String) throws(NATSError) -> String {
            let file = unsafe fopen(path, "re")
            guard let file = unsafe file else {
                let why = unsafe String(cString: strerror(errno))
                throw NATSError(.wrongCredentials, "cannot read the credentials in \(path): \(why)")
            }
            defer { unsafe fclose(file) }
            // Longer than any JWT of NATS.
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe fread(&bytes, 1, bytes.count, file)
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    extension NATSCredentials {
        /// Whether the use of these credentials reads a file.
        var areInFiles: Bool {
            switch kind {
            case .files, .nkey: true
            case .none, .user, .token: false
            }
        }
    }
#endif
