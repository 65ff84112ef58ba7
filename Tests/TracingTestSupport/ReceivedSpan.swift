// SPDX-License-Identifier: MIT

/// A span as a collector receives it. It decodes `ExportTraceServiceRequest`, independently of the code that encodes it.
package struct ReceivedSpan: Sendable {
    package var traceID = ""
    package var spanID = ""
    package var parentID = ""
    package var name = ""
    package var kind = 0
    package var start: UInt64 = 0
    package var end: UInt64 = 0
    /// Texts and numbers, as texts.
    package var attributes: [String: String] = [:]
    package var events: [String] = []
    /// 0 is unset, 1 is ok, 2 is an error.
    package var status = 0
    package var service = ""

    /// The spans of a request, or `nil` if it is malformed.
    package static func all(in request: some Collection<UInt8>) -> [ReceivedSpan]? {
        guard let top = WireMessage(request), let resource = top.messages(1).first else { return nil }
        let names = resource.messages(1).flatMap { $0.messages(1) }.compactMap(\.attribute)
        return resource.messages(2).flatMap { $0.messages(2) }.map { message in
            var span = ReceivedSpan()
            span.traceID = message.hexadecimal(1)
            span.spanID = message.hexadecimal(2)
            span.parentID = message.hexadecimal(4)
            span.name = message.text(5)
            span.kind = Int(message.number(6))
            (span.start, span.end) = (message.number(7), message.number(8))
            for (key, value) in message.messages(9).compactMap(\.attribute) { span.attributes[key] = value }
            span.events = message.messages(11).map { $0.text(2) }
            span.status = Int(message.messages(15).first?.number(3) ?? 0)
            span.service = names.first { $0.key == "service.name" }?.value ?? ""
            return span
        }
    }
}

/// The fields of a message of Protocol Buffers.
private struct WireMessage {
    enum Field {
        case number(UInt64)
        case bytes([UInt8])
    }

    private var fields: [(number: UInt64, field: Field)] = []

    init?(_ bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            guard let tag = Self.varint(&rest) else { return nil }
            switch tag & 7 {
            case 0:
                guard let value = Self.varint(&rest) else { return nil }
                fields.append((tag >> 3, .number(value)))
            case 1:
                guard rest.count >= 8 else { return nil }
                let value = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                rest.removeFirst(8)
                fields.append((tag >> 3, .number(value)))
            case 2:
                guard let length = Self.varint(&rest), length <= UInt64(rest.count) else { return nil }
                fields.append((tag >> 3, .bytes(Array(rest.prefix(Int(length))))))
                rest.removeFirst(Int(length))
            default: return nil
            }
        }
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var (value, shift) = (UInt64(0), UInt64(0))
        while shift < 64, let byte = bytes.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }

    private func bytes(_ number: UInt64) -> [[UInt8]] {
        fields.compactMap { if $0.number == number, case .bytes(let bytes) = $0.field { bytes } else { nil } }
    }

    func messages(_ number: UInt64) -> [WireMessage] { bytes(number).compactMap { WireMessage($0) } }

    func text(_ number: UInt64) -> String { String(decoding: bytes(number).first ?? [], as: UTF8.self) }

    func hexadecimal(_ number: UInt64) -> String {
        (bytes(number).first ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func number(_ number: UInt64) -> UInt64 {
        for field in fields where field.number == number { if case .number(let value) = field.field { return value } }
        return 0
    }

    /// A `KeyValue`.
    var attribute: (key: String, value: String)? {
        guard let value = bytes(2).first, let any = WireMessage(value), let first = any.fields.first else { return nil }
        switch (first.number, first.field) {
        case (1, .bytes): return (text(1), any.text(1))
        case (2, .number(let bit)): return (text(1), bit == 0 ? "false" : "true")
        case (3, .number(let bits)): return (text(1), "\(Int64(bitPattern: bits))")
        case (4, .number(let bits)): return (text(1), "\(Double(bitPattern: bits))")
        case (5, .bytes(let list)):
            let values = WireMessage(list)?.bytes(1) ?? []
            let texts = values.map { WireMessage([0x12, UInt8($0.count)] + $0)?.attribute?.value ?? "?" }
            return (text(1), "[\(texts.joined(separator: ", "))]")
        default: return nil
        }
    }
}
