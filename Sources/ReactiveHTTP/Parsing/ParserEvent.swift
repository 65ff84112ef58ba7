// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    /// A part of a received message. Each message is a head, any number of body chunks, and an end.
    ///
    /// The body of a tunnel has no end: the parser returns no event after its head, and ``MessageParser/takeRest()``
    /// returns the bytes that follow.
    enum ParserEvent: Sendable, Equatable {
        case request(HTTPRequest, MessageFraming)
        /// An informational response (1xx other than 101) has no end: the head of the next response follows.
        case response(HTTPResponse, MessageFraming)
        /// At least one byte of the body.
        case body(Bytes)
        /// The end of the message, with its trailer fields. `nil` means that there are none.
        case end(HTTPFields?)
    }
#endif
