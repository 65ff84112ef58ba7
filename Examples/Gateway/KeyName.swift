// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// The key in a path.
    enum KeyName {
        /// Decodes everything after `/keys/`. The result may have any bytes, because keys are binary.
        ///
        /// - Returns: `nil` for an empty name, a query, or a percent sign without two hexadecimal digits.
        static func decode(_ path: String) -> Bytes? {
            let prefix = "/keys/"
            guard path.hasPrefix(prefix) else { return nil }
            var rest = path.utf8.dropFirst(prefix.utf8.count)
            var name: [UInt8] = []
            name.reserveCapacity(rest.count)
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "?"): return nil
                case UInt8(ascii: "%"):
                    guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                        return nil
                    }
                    name.append(high << 4 | low)
                default: name.append(byte)
                }
            }
            return name.isEmpty ? nil : Bytes(name)
        }

        private static func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }
#endif
