// SPDX-License-Identifier: MIT
/// The bytes that end a frame.
struct Delimiter: Sendable {
    let bytes: Bytes
    /// Whether a preceding `\r` belongs to the delimiter.
    let cutsReturn: Bool
    var count: Int { bytes.count }

    private static let carriageReturn = UInt8(ascii: "\r")

    init(_ bytes: Bytes, cutsReturn: Bool) {
        self.bytes = bytes.compacted()
        self.cutsReturn = cutsReturn
    }

    /// The number of payload bytes among the `length` bytes before the delimiter.
    func payload(of buffered: Bytes, from start: Int, _ length: Int) -> Int {
        guard cutsReturn, length > 0, buffered.load(start + length - 1) == Self.carriageReturn else { return length }
        return length - 1
    }

    /// If this many bytes contain no delimiter, the payload is longer than `limit`.
    func bound(_ limit: Int) -> Int {
        let (bound, overflow) = limit.addingReportingOverflow(count + (cutsReturn ? 1 : 0))
        return overflow ? .max : bound
    }

    /// Whether `buffered`, which contains no delimiter, can be the beginning of a frame with at most `limit` payload
    /// bytes.
    func mayEnd(_ buffered: Bytes, within limit: Int) -> Bool {
        let length = buffered.count
        if length <= limit { return true }
        let first = buffered.startIndex
        if cutsReturn { return length == limit + 1 && buffered.load(first + limit) == Self.carriageReturn }
        // The last bytes may be the beginning of a delimiter.
        return (max(0, length - count + 1)...limit).contains { start in
            bytes.starts(with: buffered[first + start..<first + length])
        }
    }

    func encode(_ payload: Bytes) throws(SocketError) -> Bytes {
        let frame = Bytes(joining: [payload, bytes])
        let cut = frame.offset(of: self, from: 0) ?? frame.count
        guard cut == payload.count, self.payload(of: frame, from: 0, cut) == cut else {
            throw SocketError(
                .malformed,
                "cannot encode the payload: it contains the delimiter, or ends with a part of it"
            )
        }
        return frame
    }
}
