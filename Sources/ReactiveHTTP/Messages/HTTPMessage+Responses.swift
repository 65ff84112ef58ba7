// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    public import ReactiveSockets

    extension HTTPMessage<HTTPResponse> {
        /// The response 200 with stored bytes: `.ok("hello\n")`.
        ///
        /// - Parameters:
        ///   - bytes: The content.
        ///   - type: The media type of the content. `nil` leaves out the field `Content-Type`.
        public static func ok(_ bytes: Bytes, type: String? = nil) -> HTTPMessage {
            .response(.ok, HTTPBody(bytes), type: type)
        }

        /// The response 200 with any body.
        ///
        /// - Parameters:
        ///   - body: The content.
        ///   - type: The media type of the content. `nil` leaves out the field `Content-Type`.
        public static func ok(_ body: HTTPBody, type: String? = nil) -> HTTPMessage {
            .response(.ok, body, type: type)
        }

        /// A response with a status: `.response(.noContent)`.
        ///
        /// - Parameters:
        ///   - status: The status.
        ///   - body: The content.
        ///   - type: The media type of the content. `nil` leaves out the field `Content-Type`.
        public static func response(
            _ status: HTTPResponse.Status,
            _ body: HTTPBody = .empty,
            type: String? = nil
        ) -> HTTPMessage {
            var head = HTTPResponse(status: status)
            if let type { head.headerFields.append(HTTPField(name: .contentType, value: type)) }
            return HTTPMessage(head, body: body)
        }

        /// The response 503 with a line of text, and the time after which the client may try again in whole seconds.
        static func busy(_ text: String, retryAfter: Duration) -> HTTPMessage {
            var response = plain(.serviceUnavailable, text)
            let seconds = max(.zero, retryAfter).components
            let whole = seconds.attoseconds > 0 && seconds.seconds < .max ? seconds.seconds + 1 : seconds.seconds
            response.head.headerFields[.retryAfter] = "\(whole)"
            return response
        }

        /// A response with a line of text.
        package static func plain(_ status: HTTPResponse.Status, _ text: String) -> HTTPMessage {
            .response(status, HTTPBody(Bytes("\(text)\n")), type: "text/plain; charset=utf-8")
        }
    }
#endif
