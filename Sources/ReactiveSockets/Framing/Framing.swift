/// How a stream of bytes is cut into frames: `connection.received.framed(by: .newline, limit: 64 * 1024)`.
///
/// It is a value without state: what has come of a frame belongs to the subscription that cuts.
public struct Framing: Sendable {
    let rule: Rule
    /// Makes a frame of a payload, where that is known.
    let encoder: (@Sendable (Bytes) throws(SocketError) -> Bytes)?

    enum Rule: Sendable {
        case delimiter(Delimiter)
        case lengthPrefix(LengthPrefix)
        case decision(@Sendable (Bytes) throws(SocketError) -> Decision)
    }

    /// What a framing's closure says about the bytes from a frame's beginning.
    public enum Decision: Sendable, Hashable {
        /// The frame's length cannot be told yet. It is asked again when there are so many bytes, or one more than now.
        case incomplete(atLeast: Int)
        /// The frame has `length` bytes, of which `payload` are its contents. They need not have come: it is not asked again.
        case frame(payload: Range<Int>, length: Int)
    }

    /// Makes a framing of a closure, which sees everything that has come from a frame's beginning, at least one byte; its
    /// indices begin at 0.
    ///
    /// It is called on the context that the bytes come on, again and again for the same frame where it says `incomplete`; to
    /// look at every byte each time costs time that grows with the square of the frame's length. A length below 1, or a
    /// payload outside of the frame, traps. What it throws ends the frames' signal; `malformed` is for that.
    ///
    /// - Parameters:
    ///   - encode: makes a frame of a payload, for ``encode(_:)``.
    ///   - decide: says how long the frame is.
    public init(
        encode: (@Sendable (_ payload: Bytes) throws(SocketError) -> Bytes)? = nil,
        _ decide: @escaping @Sendable (_ buffered: Bytes) throws(SocketError) -> Decision
    ) {
        self.init(.decision(decide), encode)
    }

    init(_ rule: Rule, _ encoder: (@Sendable (Bytes) throws(SocketError) -> Bytes)?) {
        self.rule = rule
        self.encoder = encoder
    }

    /// Lines: each ends with `\n`, and a `\r` before that is cut off with it.
    public static let newline = Framing(Delimiter("\n", cutsReturn: true))

    /// Each frame ends with `delimiter`, which has at least one byte.
    public static func delimiter(_ delimiter: Bytes) -> Framing {
        precondition(!delimiter.isEmpty, "a delimiter has at least one byte")
        return Framing(Delimiter(delimiter, cutsReturn: false))
    }

    /// Each frame begins with an integer of 1, 2, 4 or 8 bytes that says how many bytes follow.
    ///
    /// - Parameters:
    ///   - bytes: how many bytes the integer has; another number traps.
    ///   - order: in which order they come.
    ///   - includesItself: whether the integer counts its own bytes too. One that is too small for that is `malformed`.
    public static func lengthPrefix(
        bytes: Int,
        _ order: ByteOrder = .bigEndian,
        includesItself: Bool = false
    ) -> Framing {
        precondition([1, 2, 4, 8].contains(bytes), "a length prefix of \(bytes) bytes: it has 1, 2, 4 or 8")
        let prefix = LengthPrefix(width: bytes, order: order, includesItself: includesItself)
        return Framing(.lengthPrefix(prefix)) { (payload: Bytes) throws(SocketError) in try prefix.encode(payload) }
    }

    private init(_ delimiter: Delimiter) {
        self.init(.delimiter(delimiter)) { (payload: Bytes) throws(SocketError) in try delimiter.encode(payload) }
    }

    /// A frame with this payload, to be sent.
    ///
    /// - Throws: `frameTooLong` where a length prefix cannot say the length, `malformed` where the payload contains the
    ///   delimiter, or would be cut in another place; what a closure throws. A framing made of a closure without `encode` traps.
    public func encode(_ payload: Bytes) throws(SocketError) -> Bytes {
        guard let encoder else { preconditionFailure("this framing was made without encode: it can only cut frames") }
        return try encoder(payload)
    }
}
