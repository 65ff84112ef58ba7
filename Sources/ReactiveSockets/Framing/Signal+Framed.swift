import ReactiveCore
public import ReactiveSignals

extension Signal where Value == Bytes, Failure == SocketError {
    /// Cuts the stream into frames: `connection.received.framed(by: .newline, limit: 64 * 1024)`.
    ///
    /// What is cut out are the payloads, with indices that begin at 0. One that lies within a chunk is a part of it, without a
    /// copy (``Bytes/compacted()`` before keeping it for long); one that lies in several is copied once. Paused in the middle
    /// of a chunk the rest of the chunk waits uncut, and the source with it, so nothing grows (law 11); resumed it goes on on the
    /// loop that the chunk came on. The end waits behind them.
    ///
    /// It fails with `frameTooLong` as soon as that is known, and never keeps more than `limit` bytes and a chunk; with
    /// `incompleteFrame` where the stream completes in the middle of a frame, but for delimiters: there the rest is the last
    /// frame; with `malformed` as the framing says. Then the source is disposed at once (law 6): nothing more is received,
    /// and whether the connection is closed or broken off is for its owner to say.
    ///
    /// - Parameters:
    ///   - framing: where a frame ends.
    ///   - limit: the longest payload, in bytes; below 0 counts as 0. Of a framing that is a closure: the longest frame, with
    ///     everything that belongs to it.
    public func framed(by framing: Framing, limit: Int) -> Signal<Bytes, SocketError> {
        Signal.starting({ sink, subscription in
            let deframer = Deframer(FrameCutter(framing, limit: limit), sink, subscription)
            self.subscribe(DeframerInput(deframer), in: deframer.upstream)
        })
    }
}
