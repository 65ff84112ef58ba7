// SPDX-License-Identifier: MIT
#if Tracing
    /// Writes the wire format of Protocol Buffers, as far as OTLP needs it.
    struct ProtobufWriter {
        private(set) var bytes: [UInt8] = []

        private enum Wire: UInt64 {
            case varint = 0
            case fixed64 = 1
            case delimited = 2
        }

        mutating func write(_ number: UInt64, varint value: UInt64) {
            tag(number, .varint)
            varint(value)
        }

        mutating func write(_ number: UInt64, fixed64 value: UInt64) {
            tag(number, .fixed64)
            append(littleEndian: value)
        }

        mutating func write(_ number: UInt64, double value: Double) { write(number, fixed64: value.bitPattern) }

        mutating func write(_ number: UInt64, bytes value: some Collection<UInt8>) {
            tag(number, .delimited)
            varint(UInt64(value.count))
            bytes.append(contentsOf: value)
        }

        /// An empty text is the default value, which is not written.
        mutating func write(_ number: UInt64, text: String) {
            if !text.isEmpty { write(number, bytes: text.utf8) }
        }

        mutating func write(_ number: UInt64, message body: (inout ProtobufWriter) -> Void) {
            var message = ProtobufWriter()
            body(&message)
            write(number, bytes: message.bytes)
        }

        /// Writes a number with its bytes in network order, as identifiers need it.
        static func bigEndian(_ value: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
        }

        private mutating func tag(_ number: UInt64, _ wire: Wire) { varint(number << 3 | wire.rawValue) }

        private mutating func varint(_ value: UInt64) {
            var rest = value
            while rest > 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }

        private mutating func append(littleEndian value: UInt64) {
            for index in 0..<8 as Range<UInt64> { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
        }
    }
#endif
