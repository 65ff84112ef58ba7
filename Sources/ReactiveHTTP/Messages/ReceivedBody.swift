// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSignals
    import ReactiveSockets

    /// The body of a received message.
    final class ReceivedBody: Sendable {
        let length: Int?

        init(length: Int?) {
            self.length = length
        }

        var signal: Signal<Bytes, HTTPError> { .empty }
        var trailers: HTTPFields? { nil }
    }
#endif
