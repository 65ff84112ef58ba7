import ReactiveSockets

/// What a client gets for a request.
enum Reply: Sendable, Equatable {
    case ok
    case status(Bytes)
    case error(Bytes)
    case integer(Int)
    case bulk(Bytes)
    case null
    case array([Reply])
    /// Several replies to one request, as `SUBSCRIBE` gives; none at all is an answer too.
    case each([Reply])
}
