// SPDX-License-Identifier: MIT
import ReactiveSockets

/// The reply to a request.
enum Reply: Sendable, Equatable {
    case ok
    case status(Bytes)
    case error(Bytes)
    case integer(Int)
    case bulk(Bytes)
    case null
    case array([Reply])
    /// Several replies to one request, for example to `SUBSCRIBE`. The list may be empty.
    case each([Reply])
}
