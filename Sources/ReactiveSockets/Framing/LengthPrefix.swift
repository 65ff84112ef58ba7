// SPDX-License-Identifier: MIT
/// An integer at the beginning of a frame that states the frame's length.
struct LengthPrefix: Sendable {
    let width: Int
    let order: ByteOrder
    let includesItself: Bool

    /// The payload's length if the prefix is `length`, or nil if `length` is too small to include the prefix itself.
    func payload(_ length: UInt64) -> Int? {
        let own: UInt64 = includesItself ? UInt64(clamping: width) : 0
        return length < own ? nil : Int(clamping: length - own)
    }

    func decide(_ buffered: Bytes) throws(SocketError) -> Framing.Decision {
        guard let length = buffered.bits(at: buffered.startIndex, width, order) else {
            return .incomplete(atLeast: width)
        }
        guard let payload = payload(length) else {
            throw SocketError(
                .malformed,
                "cannot read a frame: its length prefix is \(length), but includes its own \(width) bytes"
            )
        }
        return .frame(header: width, payload: payload)
    }

    func encode(_ payload: Bytes) throws(SocketError) -> Bytes {
        let length = UInt64(clamping: payload.count + (includesItself ? width : 0))
        guard width == 8 || length < 1 << (8 * width) else {
            throw SocketError(
                .frameTooLong,
                "cannot encode a payload of \(payload.count) bytes: the length does not fit a prefix of \(width) bytes"
            )
        }
        return Bytes(joining: [Bytes(bits: length, width, order), payload])
    }
}
