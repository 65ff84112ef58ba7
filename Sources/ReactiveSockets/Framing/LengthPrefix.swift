/// An integer at a frame's beginning that says how long the frame is.
struct LengthPrefix: Sendable {
    let width: Int
    let order: ByteOrder
    let includesItself: Bool

    /// How long the payload is that a prefix of `length` announces; nil where it is too small to count itself.
    func payload(_ length: UInt64) -> Int? {
        let own: UInt64 = includesItself ? UInt64(clamping: width) : 0
        return length < own ? nil : Int(clamping: length - own)
    }

    func decide(_ buffered: Bytes) throws(SocketError) -> Framing.Decision {
        guard let length = buffered.bits(at: buffered.startIndex, width, order) else {
            return .incomplete(atLeast: width)
        }
        guard let payload = payload(length) else {
            throw SocketError(.malformed, "a length prefix of \(length): it counts its own \(width) bytes")
        }
        // What is larger than any limit need not be told apart.
        let total = payload.addingReportingOverflow(width)
        let end = total.overflow ? Int.max : total.partialValue
        return .frame(payload: width..<end, length: end)
    }

    func encode(_ payload: Bytes) throws(SocketError) -> Bytes {
        let length = UInt64(clamping: payload.count + (includesItself ? width : 0))
        guard width == 8 || length < 1 << (8 * width) else {
            throw SocketError(.frameTooLong, "a length prefix of \(width) bytes cannot say \(payload.count)")
        }
        return Bytes(joining: [Bytes(bits: length, width, order), payload])
    }
}
