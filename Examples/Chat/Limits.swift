#if NATS
    /// What one client, and all of them, can make this process hold.
    enum Limits {
        /// How many bytes a line may have.
        static let line = 4096
        /// How many bytes a name may have: a room's, a client's, a line's id. A room's name is a part of a subject.
        static let name = 64
        /// How many rooms one client may be in.
        static let roomsPerClient = 16
        /// How many rooms the clients of this process may be in.
        static let rooms = 1000
        /// How many names one process reports for `WHO`.
        static let names = 1000
        /// How many lines are requested in advance for a client that is behind: these are kept while it reads nothing.
        static let linesAhead = 16

        /// Whether it is a name: letters, digits, `-` and `_`, none of which mean anything in a subject or a header.
        static func isName(_ name: String) -> Bool {
            (1...Self.name).contains(name.utf8.count)
                && name.utf8.allSatisfy { byte in
                    (97...122).contains(byte | 32) && byte < 128 || (48...57).contains(byte) || byte == 45 || byte == 95
                }
        }
    }
#endif
