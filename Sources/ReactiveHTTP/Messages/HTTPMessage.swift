// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    public import ReactiveSockets

    /// A request or a response: its head, its body, and for a received one the peer.
    ///
    /// Any thread may use a message. A received body delivers its events on the loop of its connection.
    public struct HTTPMessage<Head: Sendable>: Sendable {
        /// The request line or status line, with the header fields.
        ///
        /// The host of a received request is `HTTPRequest.authority`, and not a header field.
        public var head: Head
        /// The content.
        public var body: HTTPBody
        /// The peer that sent the message. `nil` for a message of this process.
        public var peer: HTTPPeer?

        /// Creates a message.
        ///
        /// - Parameters:
        ///   - head: The request line or status line, with the header fields.
        ///   - body: The content.
        ///   - peer: The peer that sent the message, or `nil`.
        public init(_ head: Head, body: HTTPBody = .empty, peer: HTTPPeer? = nil) {
            self.head = head
            self.body = body
            self.peer = peer
        }
    }

    /// A request with its body.
    public typealias HTTPRequestMessage = HTTPMessage<HTTPRequest>
    /// A response with its body.
    public typealias HTTPResponseMessage = HTTPMessage<HTTPResponse>

    /// The two ends of the connection on which a message was received. All messages of a connection share one object.
    public final class HTTPPeer: Sendable {
        /// The address of the peer. `nil` means unknown.
        public let address: SocketAddress?
        /// The local address of the connection. `nil` means unknown.
        public let localAddress: SocketAddress?

        /// Creates a peer, for example in a test.
        public init(address: SocketAddress?, localAddress: SocketAddress? = nil) {
            self.address = address
            self.localAddress = localAddress
        }
    }

    extension HTTPPeer: CustomStringConvertible {
        /// The address of the peer, such as `127.0.0.1:50412`.
        public var description: String { address?.description ?? "a peer without an address" }
    }
#endif
