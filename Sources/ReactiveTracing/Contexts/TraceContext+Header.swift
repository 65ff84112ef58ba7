// SPDX-License-Identifier: MIT
extension TraceContext {
    /// The value of the header `traceparent`, in version 00: 55 characters.
    public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// Parses the headers of the W3C recommendation.
    ///
    /// Version 00 must have exactly 55 characters. Of a later version the first 55 are used, and the 56th must be a
    /// hyphen. Letters must be lowercase. Version ff and numbers of zeros only are invalid. Unknown flags are ignored.
    ///
    /// - Parameters:
    ///   - traceparent: The value of the only header `traceparent`.
    ///   - tracestate: The values of all headers `tracestate`, joined by commas. If it is invalid, ``state`` is empty.
    /// - Returns: The context, or `nil` if `traceparent` is invalid.
    public init?(traceparent: String, tracestate: String? = nil) {
        let text = Array(traceparent.utf8.prefix(Self.length + 1))
        guard text.count >= Self.length, [2, 35, 52].allSatisfy({ text[$0] == UInt8(ascii: "-") }) else { return nil }
        guard let version = Self.number(text[0..<2]), version != 0xFF else { return nil }
        if text.count > Self.length, version == 0 || text[Self.length] != UInt8(ascii: "-") { return nil }
        guard let high = Self.number(text[3..<19]), let low = Self.number(text[19..<35]),
            let span = Self.number(text[36..<52]), let flags = Self.number(text[53..<55]),
            let traceID = TraceID(high: high, low: low), let spanID = SpanID(span)
        else { return nil }
        self.init(
            traceID: traceID,
            spanID: spanID,
            isSampled: flags & 1 != 0,
            state: tracestate.flatMap(TraceState.init) ?? TraceState()
        )
    }

    /// The length of version 00.
    private static var length: Int { 55 }

    /// The value of up to 16 lowercase hexadecimal digits.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
