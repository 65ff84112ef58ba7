// SPDX-License-Identifier: MIT
#if NATS
    /// Limits of the memory that clients can use in this process.
    enum Limits {
        /// The maximum length of a line, in bytes.
        static let line = 4096
        /// The maximum length of the name of a room or client, or of a line's id, in bytes.
        static let name = 64
        /// The maximum number of rooms that a client may join.
        static let roomsPerClient = 16
        /// The maximum number of rooms of all clients of this process.
        static let rooms = 1000
        /// The maximum number of names that one process reports for `WHO`.
        static let names = 1000
        /// The number of lines that are requested in advance for a client that has not received all lines. They stay in
        /// memory while the client does not read.
        static let linesAhead = 16

        /// Whether the text is a valid name: letters, digits, `-` and `_`. None of these characters is special in a
        /// subject or header of NATS.
        static func isName(_ name: String) -> Bool {
            (1...Self.name).contains(name.utf8.count)
                && name.utf8.allSatisfy { byte in
                    (97...122).contains(byte | 32) && byte < 128 || (48...57).contains(byte) || byte == 45 || byte == 95
                }
        }
    }
#endif
