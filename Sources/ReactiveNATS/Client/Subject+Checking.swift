// SPDX-License-Identifier: MIT
#if NATS
    extension NATSMessage {
        /// The error that prevents publication, or nil. Names are written unchanged, so whitespace in one would
        /// corrupt the protocol.
        var fault: NATSError? {
            if let fault = Self.fault(ofSubject: subject, allowsWildcards: false) { return fault }
            if let reply, let fault = Self.fault(ofSubject: reply, allowsWildcards: false) { return fault }
            for field in headers.fields {
                let isName = !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 32 && $0 != 127 && $0 != 58 }
                // Clients that use nats.c read no headers of a message in which one value is empty.
                let isValue = !field.value.isEmpty && field.value.utf8.allSatisfy { $0 >= 32 || $0 == 9 }
                if !isName || !isValue {
                    return NATSError(
                        .invalidArgument,
                        "cannot publish to \(subject): the header \"\(field.name)\" has an invalid name or value"
                    )
                }
            }
            return nil
        }

        /// Checks a subject in one pass without a copy, because every publication calls this.
        static func fault(ofSubject subject: String, allowsWildcards: Bool) -> NATSError? {
            var length = 0
            var wildcard: UInt8 = 0
            var isRest = false
            var isSubject = true
            func endPart() {
                let isWildcard = wildcard != 0 && length == 1
                if length == 0 || isRest || isWildcard && !allowsWildcards { isSubject = false }
                isRest = isWildcard && wildcard == UInt8(ascii: ">")
                length = 0
                wildcard = 0
            }
            for byte in subject.utf8 {
                if byte == UInt8(ascii: ".") {
                    endPart()
                } else {
                    if byte <= 32 || byte == 127 { isSubject = false }
                    if byte == UInt8(ascii: "*") || byte == UInt8(ascii: ">") { wildcard = byte }
                    length += 1
                }
            }
            endPart()
            if isSubject { return nil }
            return NATSError(
                .invalidSubject,
                "cannot \(allowsWildcards ? "subscribe" : "publish") to \"\(subject)\": it is not a valid subject"
            )
        }
    }
#endif
