// SPDX-License-Identifier: MIT
/// A question that a test's server has received.
package struct DNSQuery: Sendable {
    package enum Kind: UInt16 {
        case a = 1
        case aaaa = 28
    }

    package let id: UInt16
    package let name: String
    package let kind: Kind?
    package let isTCP: Bool
    /// The question section, as received.
    private let question: [UInt8]

    package init?(_ bytes: [UInt8], isTCP: Bool) {
        guard bytes.count >= 12 else { return nil }
        id = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        var labels: [String] = []
        var place = 12
        while place < bytes.count, bytes[place] != 0 {
            let end = place + 1 + Int(bytes[place])
            guard end < bytes.count else { return nil }
            labels.append(String(decoding: bytes[place + 1..<end], as: UTF8.self))
            place = end
        }
        guard place + 5 <= bytes.count else { return nil }
        name = labels.joined(separator: ".")
        kind = Kind(rawValue: UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place + 2]))
        question = Array(bytes[12..<place + 5])
        self.isTCP = isTCP
    }

    /// A response with these records.
    package func answer(_ records: [DNSRecord], code: UInt8 = 0, isTruncated: Bool = false, id: UInt16? = nil)
        -> [UInt8]
    {
        let id = id ?? self.id
        let header: [UInt8] = [
            UInt8(id >> 8), UInt8(id & 255), isTruncated ? 0x83 : 0x81, 0x80 | code, 0, 1,
            UInt8(records.count >> 8), UInt8(records.count & 255), 0, 0, 0, 0,
        ]
        return header + question + records.flatMap { $0.bytes(for: name) }
    }

    /// A response with the address that has the family of the question.
    package func addresses(_ four: String?, _ six: String? = nil, ttl: UInt32 = 60) -> [UInt8] {
        switch kind {
        case .a: answer(four.map { [DNSRecord($0, ttl: ttl)] } ?? [])
        case .aaaa: answer(six.map { [DNSRecord($0, ttl: ttl)] } ?? [])
        case nil: answer([], code: DNSCode.notImplemented)
        }
    }
}

package enum DNSCode {
    package static let serverFailure: UInt8 = 2
    package static let noSuchName: UInt8 = 3
    package static let notImplemented: UInt8 = 4
    package static let refused: UInt8 = 5
}
