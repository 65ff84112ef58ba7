// SPDX-License-Identifier: MIT
#if NATS
    /// Bounds on the memory that clients can occupy in this process.
    enum Limits {
        /// The most bytes of a line.
        static let line = 4096
        /// The most bytes of the name of a room or client, or of a line's id.
        static let name = 64
        /// The most rooms of one client.
        static let roomsPerClient = 16
        /// The most rooms of all clients of this process.
        static let rooms = 1000
        /// The most names that one process reports for `WHO`.
        static let names = 1000
        /// How many lines are requested in advance for a client that is behind. They stay in memory while it does not
        /// read.
        static let linesAhead = 16

        /// Whether the text is a valid name: letters, digits, `-` and `_`. None is special in a subject or a header of
        /// NATS.
        static func isName(_ name: String) -> Bool {
            (1...Self.name).contains(name.utf8.count)
                && name.utf8.allSatisfy { byte in
                    (97...122).contains(byte | 32) && byte < 128 || (48...57).contains(byte) || byte == 45 || byte == 95
                }
        }
    }
#endif
