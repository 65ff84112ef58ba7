// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    import ReactiveSockets

    extension HTTPMessage<HTTPRequest> {
        /// A request to a URL: `.request(.patch, "http://example.com/item", body: HTTPBody(bytes))`.
        ///
        /// The fragment of the URL is left out. If the URL is invalid, ``HTTPClient/send(_:)`` fails with
        /// `invalidRequest`.
        ///
        /// - Parameters:
        ///   - method: The method.
        ///   - url: The absolute URL, of the scheme `http` or `https`.
        ///   - fields: The header fields.
        ///   - body: The content.
        public static func request(
            _ method: HTTPRequest.Method,
            _ url: String,
            fields: HTTPFields = HTTPFields(),
            body: HTTPBody = .empty
        ) -> HTTPMessage {
            // A head cannot contain such a URL: HTTPTypes replaces control characters by spaces, and trims the ends.
            guard url.utf8.allSatisfy({ $0 > ASCII.space && $0 != 0x7F }) else {
                let why = "contains whitespace or a control character: percent-encode it, such as %20 for a space"
                let error = HTTPError(.invalidRequest, "the URL \(url.debugDescription) \(why)")
                let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: nil, headerFields: fields)
                return HTTPMessage(head, body: HTTPBody(.failed(FailedContent(Bytes(), error))))
            }
            let parts = URLReference(url)
            let isURL = parts.scheme != nil && parts.authority != nil
            let head = HTTPRequest(
                method: method,
                scheme: isURL ? parts.scheme : nil,
                authority: isURL ? parts.authority : nil,
                path: isURL ? parts.target : url,
                headerFields: fields
            )
            return HTTPMessage(head, body: body)
        }

        /// A GET request: `.get("http://example.com/")`. The other rules are those of ``request(_:_:fields:body:)``.
        public static func get(_ url: String, fields: HTTPFields = HTTPFields()) -> HTTPMessage {
            .request(.get, url, fields: fields)
        }

        /// A POST request. The other rules are those of ``request(_:_:fields:body:)``.
        public static func post(_ url: String, fields: HTTPFields = HTTPFields(), body: HTTPBody) -> HTTPMessage {
            .request(.post, url, fields: fields, body: body)
        }

        /// A PUT request. The other rules are those of ``request(_:_:fields:body:)``.
        public static func put(_ url: String, fields: HTTPFields = HTTPFields(), body: HTTPBody) -> HTTPMessage {
            .request(.put, url, fields: fields, body: body)
        }
    }
#endif
