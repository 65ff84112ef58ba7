// SPDX-License-Identifier: MIT
extension Framing {
    /// The decision of a framing's closure about the bytes from the beginning of a frame.
    ///
    /// The numbers may come from the peer, so the closure may pass on any number. They are checked when the closure
    /// returns. A number that is not allowed fails the signal of frames:
    ///
    /// | Decision | Failure |
    /// |---|---|
    /// | A header or a payload with a negative length | `malformed` |
    /// | A frame of 0 bytes, which would be found again forever | `malformed` |
    /// | `incomplete(atLeast:)` with a number of bytes that have already arrived | `malformed` |
    /// | A frame that is longer than the limit, whose length overflows, or that is incomplete at the limit | `frameTooLong` |
    /// | Other bytes instead of the trailer | `malformed` |
    ///
    /// Rows 2 and 3 are usually bugs in the closure. The message of the error contains the decision.
    public struct Decision: Sendable, Hashable {
        let kind: Kind

        enum Kind: Sendable, Hashable {
            /// `nil` means one byte more than has arrived.
            case incomplete(atLeast: Int?)
            case frame(Parts)
        }

        struct Parts: Sendable, Hashable {
            let header: Int
            let payload: WireInteger
            let trailer: Bytes
            let includesHeader: Bool
        }

        /// The length of the frame is not known yet. The closure is called again when more bytes have arrived.
        public static let incomplete = Decision(kind: .incomplete(atLeast: nil))

        /// The length of the frame is not known before this number of bytes has arrived. The closure is not called
        /// again before that.
        ///
        /// - Parameter count: A number of bytes from the beginning of the frame, larger than the number that has
        ///   arrived. Any other number fails with `malformed`. A number above the limit fails with `frameTooLong`.
        public static func incomplete(atLeast count: Int) -> Decision {
            Decision(kind: .incomplete(atLeast: count))
        }

        /// The frame has a header, a payload and a trailer of these lengths, in this order. The framing waits for
        /// missing bytes without calling the closure again.
        ///
        /// - Parameters:
        ///   - header: The number of bytes before the payload. It may exceed the bytes that have arrived.
        ///   - payload: The number of bytes of the payload, as the peer sent it. It is checked against the limit.
        ///   - trailer: The bytes that must follow the payload, such as `","` or `"\r\n"`. Other bytes fail with
        ///     `malformed`. Empty bytes, the default, mean no trailer.
        ///   - includesHeader: Whether the value that the signal sends begins with the header. By default the value is
        ///     the payload alone. The value never contains the trailer.
        public static func frame(
            header: Int,
            payload: WireInteger,
            trailer: Bytes = Bytes(),
            includesHeader: Bool = false
        ) -> Decision {
            let parts = Parts(header: header, payload: payload, trailer: trailer, includesHeader: includesHeader)
            return Decision(kind: .frame(parts))
        }

        /// The frame has a header, a payload and a trailer of these lengths. The payload's length may be of any integer
        /// type, so that a `UInt64` from the peer needs no conversion.
        ///
        /// - Parameters:
        ///   - header: The number of bytes before the payload. It may exceed the bytes that have arrived.
        ///   - payload: The number of bytes of the payload. It is checked against the limit.
        ///   - trailer: The bytes that must follow the payload. Empty bytes, the default, mean no trailer.
        ///   - includesHeader: Whether the value that the signal sends begins with the header.
        public static func frame(
            header: Int,
            payload: some BinaryInteger,
            trailer: Bytes = Bytes(),
            includesHeader: Bool = false
        ) -> Decision {
            frame(
                header: header,
                payload: WireInteger(payload),
                trailer: trailer,
                includesHeader: includesHeader
            )
        }
    }
}

extension Framing.Decision: CustomStringConvertible {
    /// The decision as it is written in Swift, such as `.frame(header: 4, payload: 10)`.
    public var description: String {
        switch kind {
        case .incomplete(nil): return ".incomplete"
        case .incomplete(let count?): return ".incomplete(atLeast: \(count))"
        case .frame(let parts):
            let trailer = parts.trailer.isEmpty ? "" : ", trailer: \(String(parts.trailer).debugDescription)"
            let header = parts.includesHeader ? ", includesHeader: true" : ""
            return ".frame(header: \(parts.header), payload: \(parts.payload)\(trailer)\(header))"
        }
    }
}

extension Framing.Decision {
    /// The failure of a framing that has made this decision.
    func failure(_ detail: String) -> SocketError {
        SocketError(.malformed, "cannot cut a frame: its framing returned \(self)\(detail)")
    }
}
