// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// The validators of a file: its entity tag and the time of its last change (RFC 9110 section 8.8).
    struct FileVersion {
        /// The entity tag with its quotes. It is strong.
        let tag: String
        /// The time of the last change, in seconds since 1970. It is not later than `now` (RFC 9110 section 8.8.2.1).
        let modified: Int
        /// Whether the file cannot change again within the second `modified`. Only then is the date a strong validator
        /// (RFC 9110 section 8.8.2.2).
        let hasStrongDate: Bool
        /// The current time, in seconds since 1970.
        let now: Int
    }

    extension FileVersion {
        /// The tag is a hash of the device, the inode, the size and the times of the last changes with nanoseconds. A file
        /// that is replaced by a rename has another inode. One that is written in place has another time, even if a program
        /// restores the time of its content, unless the file system's clock has not ticked in between (a few milliseconds
        /// before Linux 6.13). The hash hides these numbers. All processes compute the same one.
        init(_ status: OpenFile.Status, now: Int) {
            let seconds = status.modified.seconds
            let hash = Self.hash([
                status.device, status.inode, UInt64(truncatingIfNeeded: status.size),
                UInt64(truncatingIfNeeded: seconds), UInt64(truncatingIfNeeded: status.modified.nanoseconds),
                UInt64(truncatingIfNeeded: status.changed.seconds),
                UInt64(truncatingIfNeeded: status.changed.nanoseconds),
            ])
            tag = "\"\(String(hash, radix: 16))\""
            modified = max(0, min(seconds, now))
            hasStrongDate = seconds < now
            self.now = now
        }

        /// FNV-1a with 64 bits.
        private static func hash(_ numbers: [UInt64]) -> UInt64 {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for number in numbers {
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    hash = (hash ^ (number >> shift & 0xFF)) &* 0x0000_0100_0000_01B3
                }
            }
            return hash
        }
    }
#endif
