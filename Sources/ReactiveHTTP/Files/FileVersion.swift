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

        /// The tag contains the device, the inode, the size and the time of the last change with nanoseconds. A file that
        /// is replaced by a rename has another inode. One that is written in place has another time.
        init(_ status: OpenFile.Status, now: Int) {
            let (seconds, nanoseconds) = status.modified
            func hexadecimal(_ number: UInt64) -> String { String(number, radix: 16) }
            let parts = [
                status.device, status.inode, UInt64(truncatingIfNeeded: status.size),
                UInt64(bitPattern: Int64(seconds)), UInt64(truncatingIfNeeded: nanoseconds),
            ]
            tag = "\"\(parts.map(hexadecimal).joined(separator: "-"))\""
            modified = max(0, min(seconds, now))
            hasStrongDate = seconds < now
            self.now = now
        }

        init(tag: String, modified: Int, hasStrongDate: Bool, now: Int) {
            self.tag = tag
            self.modified = modified
            self.hasStrongDate = hasStrongDate
            self.now = now
        }
    }
#endif
