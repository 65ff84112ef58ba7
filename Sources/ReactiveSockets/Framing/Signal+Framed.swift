// SPDX-License-Identifier: MIT
import ReactiveCore
public import ReactiveSignals

extension Signal where Value == Bytes, Failure == SocketError {
    /// Cuts the byte stream into frames: `connection.received.framed(by: .newline, limit: 64 * 1024)`.
    ///
    /// The values are the payloads, with indices that begin at 0. A payload within one chunk shares the chunk's memory.
    /// Call ``Bytes/compacted()`` on it before you keep it for long. A payload that spans several chunks is copied
    /// once.
    ///
    /// If the subscriber pauses, the signal keeps the rest of the chunk and pauses the source, so memory does not grow
    /// (law 11, Docs/Laws.md). After a resume, it continues on the loop that delivered the chunk. Completion waits
    /// behind the remaining frames.
    ///
    /// The signal buffers at most `limit` bytes and one chunk. It fails with:
    ///
    /// - `frameTooLong` as soon as a frame is known to exceed the limit.
    /// - `incompleteFrame` if the source completes in the middle of a frame. With delimiters, the remaining bytes are
    ///   the last frame instead.
    /// - `malformed`, or another error of the framing's closure, if the input is invalid. If the closure returns a
    ///   length that is not allowed, the signal fails with `malformed` or `frameTooLong` (``Framing/Decision``).
    /// - The failure of the source. If the subscriber pauses, the failure waits behind the remaining frames.
    ///
    /// A failure disposes the source. It does not close the connection: the subscriber decides that.
    ///
    /// - Parameters:
    ///   - framing: The rule that finds the end of a frame.
    ///   - limit: The maximum payload in bytes. A value below 0 counts as 0. If the framing is a closure, the limit
    ///     counts the whole frame.
    /// - Returns: A cold signal of payloads. Frames are delivered on the thread that delivers the chunks, in order.
    public func framed(by framing: Framing, limit: Int) -> Signal<Bytes, SocketError> {
        Signal.starting({ sink, subscription in
            let deframer = Deframer(FrameCutter(framing, limit: limit), sink, subscription)
            self.subscribe(DeframerInput(deframer), in: deframer.upstream)
        })
    }
}
