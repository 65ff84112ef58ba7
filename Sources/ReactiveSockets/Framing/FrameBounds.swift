// SPDX-License-Identifier: MIT
/// The bounds of a frame, in offsets from its first byte. All numbers have been checked.
struct FrameBounds {
    /// The bytes that are sent as the frame's value.
    let value: Range<Int>
    /// The number of bytes of the whole frame, at least 1.
    let length: Int
    let trailer: Bytes

    /// Checks the lengths that a framing has found.
    ///
    /// - Parameters:
    ///   - ceiling: The maximum number of bytes of a frame.
    ///   - limit: The limit that the error names.
    /// - Throws: `malformed` if a length is negative or the frame is empty. `frameTooLong` if it exceeds the ceiling.
    init(_ parts: Framing.Decision.Parts, ceiling: Int, limit: Int) throws(SocketError) {
        let decision = Framing.Decision(kind: .frame(parts))
        guard parts.header >= 0, parts.payload >= WireInteger(0) else {
            throw decision.failure(", and a length must be 0 or more")
        }
        // Not negative after the guard, so the range below is valid and the sum cannot overflow.
        let room = ceiling - parts.trailer.count
        guard parts.header <= room, let payload = parts.payload.value(in: 0...room - parts.header) else {
            throw SocketError(
                .frameTooLong,
                "cannot receive a frame with a header of \(parts.header) and a payload of \(parts.payload) bytes: "
                    + "the limit is \(limit) bytes"
            )
        }
        length = parts.header + payload + parts.trailer.count
        guard length > 0 else {
            throw decision.failure(", and a frame must have 1 byte or more")
        }
        value = (parts.includesHeader ? 0 : parts.header)..<parts.header + payload
        trailer = parts.trailer
    }

    /// Checks the bytes after the payload.
    ///
    /// - Throws: `malformed` if they are not the trailer.
    func checkTrailer(of buffered: Bytes) throws(SocketError) {
        if trailer.isEmpty { return }
        let found = buffered.part(length - trailer.count..<length)
        guard found == trailer else {
            let (wanted, other) = (String(trailer).debugDescription, String(found).debugDescription)
            throw SocketError(
                .malformed,
                "cannot cut a frame of \(length) bytes: it ends with \(other) instead of \(wanted)"
            )
        }
    }
}
