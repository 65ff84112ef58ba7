// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    @testable import ReactiveHTTP

    /// What a parser makes of a stream, independent of how the body was divided into chunks.
    struct ParsedMessages: Equatable, CustomStringConvertible {
        struct Message: Equatable {
            var request: HTTPRequest?
            var response: HTTPResponse?
            var framing: MessageFraming
            var body: [UInt8] = []
            var trailers: HTTPFields?
            var isComplete = false
        }

        var messages: [Message] = []
        var error: HTTPError?
        var errorText: String?
        var rest: [UInt8] = []

        /// Parses the stream, cut at the given offsets. `ends` states whether the stream ends after it.
        init(
            _ stream: [UInt8],
            as role: MessageParser.Role = .requests(scheme: "http"),
            limits: HTTPLimits = HTTPLimits(),
            method: HTTPRequest.Method = .get,
            cutAt places: [Int] = [],
            ends: Bool = false
        ) {
            var parser = MessageParser(role, limits: limits)
            parser.requestMethod = method
            var start = 0
            do throws(HTTPError) {
                for end in places + [stream.count] {
                    parser.feed(Bytes(stream[start..<end]))
                    start = end
                    while let event = try parser.next() { add(event) }
                }
                if ends, let event = try parser.finish() { add(event) }
                rest = Array(parser.takeRest())
            } catch {
                self.error = error
                errorText = error.message
            }
        }

        init(_ text: String, as role: MessageParser.Role = .requests(scheme: "http"), limits: HTTPLimits = HTTPLimits())
        {
            self.init(Array(text.utf8), as: role, limits: limits)
        }

        private mutating func add(_ event: ParserEvent) {
            switch event {
            case .request(let request, let framing): messages.append(Message(request: request, framing: framing))
            case .response(let response, let framing): messages.append(Message(response: response, framing: framing))
            case .body(let bytes): messages[messages.count - 1].body += bytes
            case .end(let trailers):
                messages[messages.count - 1].trailers = trailers
                messages[messages.count - 1].isComplete = true
            }
        }

        var description: String {
            let texts = messages.map { message in
                let head = message.request.map { "\($0) \($0.headerFields)" } ?? "\(message.response as Any)"
                return "\(head) \(String(decoding: message.body, as: UTF8.self)) \(message.isComplete)"
            }
            return "\(texts) \(errorText ?? "")"
        }
    }
#endif
