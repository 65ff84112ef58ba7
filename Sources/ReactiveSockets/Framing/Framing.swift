// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A rule that cuts a byte stream into frames: `connection.received.framed(by: .newline, limit: 64 * 1024)`.
///
/// A framing has no state: each subscription keeps its own unfinished frame.
public struct Framing: Sendable {
    let rule: Rule
    /// Encodes a payload as a frame. `nil` means that the framing cannot encode.
    let encoder: (@Sendable (Bytes) throws(SocketError) -> Bytes)?

    enum Rule: Sendable {
        case delimiter(Delimiter)
        case lengthPrefix(LengthPrefix)
        case decision(@Sendable (Bytes) throws(SocketError) -> Decision)
    }

    /// Creates a framing from a closure, which receives all bytes from the beginning of a frame.
    ///
    /// The closure receives at least one byte and at most the limit. The indices of the bytes begin at 0. The closure
    /// runs on the thread that delivers the bytes. Subscriptions on several threads may call it at the same time. While
    /// it returns `incomplete`, it is called again for the same frame, so scanning all bytes in each call takes
    /// quadratic time.
    ///
    /// Every number that the closure returns is checked, because it may come from the peer. A number that is not
    /// allowed fails the signal of frames and never traps (``Decision``). An error that the closure throws fails the
    /// signal too. Throw `malformed` for invalid input.
    ///
    /// - Parameters:
    ///   - encode: Encodes a payload as a frame, for ``encode(_:)``. If it is `nil`, ``encode(_:)`` traps.
    ///   - decide: Finds the end and the payload of a frame.
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

    /// Lines that end with `\n`. A preceding `\r` is removed too. At end of stream, remaining bytes are the last line.
    ///
    /// Encoding appends `\n`. A payload that contains `\n` or ends with `\r` is `malformed`.
    public static let newline = Framing(Delimiter("\n", cutsReturn: true))

    /// Frames that end with `delimiter`. At end of stream, remaining bytes are the last frame.
    ///
    /// - Parameter delimiter: The bytes that end each frame. Empty bytes trap.
    public static func delimiter(_ delimiter: Bytes) -> Framing {
        require(!delimiter.isEmpty, "cannot frame by an empty delimiter: pass at least one byte")
        return Framing(Delimiter(delimiter, cutsReturn: false))
    }

    /// Frames that begin with an integer, which counts the bytes after it.
    ///
    /// - Parameters:
    ///   - bytes: The width of the integer: 1, 2, 4 or 8 bytes. Any other width traps.
    ///   - order: The byte order of the integer.
    ///   - includesItself: Whether the integer also counts its own bytes. A value below its own width is then
    ///     `malformed`.
    public static func lengthPrefix(
        bytes: Int,
        _ order: ByteOrder = .bigEndian,
        includesItself: Bool = false
    ) -> Framing {
        require(
            [1, 2, 4, 8].contains(bytes),
            "cannot frame by a length prefix of \(bytes) bytes: use 1, 2, 4 or 8"
        )
        let prefix = LengthPrefix(width: bytes, order: order, includesItself: includesItself)
        return Framing(.lengthPrefix(prefix)) { (payload: Bytes) throws(SocketError) in try prefix.encode(payload) }
    }

    private init(_ delimiter: Delimiter) {
        self.init(.delimiter(delimiter)) { (payload: Bytes) throws(SocketError) in try delimiter.encode(payload) }
    }

    /// Encodes a payload as a frame.
    ///
    /// A framing that was created from a closure without `encode` traps.
    ///
    /// - Parameter payload: The payload. It may be empty.
    /// - Returns: The frame, ready to be sent.
    /// - Throws: `frameTooLong` if a length prefix cannot represent the length. `malformed` if the payload contains the
    ///   delimiter, or ends with a part of it that would change where the frame ends. The error that an `encode`
    ///   closure throws.
    public func encode(_ payload: Bytes) throws(SocketError) -> Bytes {
        guard let encoder else { trap("this framing cannot encode: pass `encode` to its initializer") }
        return try encoder(payload)
    }
}
