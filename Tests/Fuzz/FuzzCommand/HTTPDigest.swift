// SPDX-License-Identifier: MIT
#if HTTP
    import FuzzSupport
    import HTTPTypes
    import ReactiveSockets

    @testable import ReactiveHTTP

    /// What a parser makes of a stream, in a form that two parsers have in common.
    struct HTTPDigest: Equatable {
        struct Field: Equatable {
            var name: String
            /// Without whitespace at both ends.
            var value: [UInt8] = []
        }

        struct Message: Equatable {
            var method = ""
            var target = ""
            var version = ""
            var status = ""
            var fields: [Field] = []
            var trailers: [Field] = []
            var hasHead = false
            var body: [UInt8] = []
            var isComplete = false

            mutating func add(name: String) {
                if hasHead { trailers.append(Field(name: name)) } else { fields.append(Field(name: name)) }
            }

            mutating func add(value: ArraySlice<UInt8>) {
                var value = value
                while let last = value.last, last == 32 || last == 9 { value.removeLast() }
                if hasHead {
                    trailers[trailers.count - 1].value = Array(value)
                } else {
                    fields[fields.count - 1].value = Array(value)
                }
            }
        }

        var messages: [Message] = []
        var error: String?
        /// The rest of the stream belongs to another protocol, or to nothing.
        var isPaused = false

        init() {}

        /// What our parser makes of a stream.
        init(_ stream: [UInt8], isResponse: Bool, cutAt places: [Int] = []) {
            var parser = MessageParser(isResponse ? .responses : .requests(scheme: "http"))
            do throws(HTTPError) {
                for chunk in stream.chunks(cutAt: places) {
                    parser.feed(Bytes(chunk))
                    while !isPaused, let event = try parser.next() { add(event) }
                }
            } catch {
                self.error = error.message
            }
        }

        private mutating func add(_ event: ParserEvent) {
            switch event {
            case .request(let request, let framing):
                var message = Message()
                message.method = request.method.rawValue
                message.target = Self.target(request)
                message.version = "1.\(framing.minorVersion)"
                message.fields = Self.fields(request.headerFields)
                message.hasHead = true
                messages.append(message)
                // RFC 9112 section 9.6: a server processes no request after one that closes the connection.
                pausesAtEnd = framing.isUpgrade || request.method == .connect || !framing.isPersistent
            case .response(let response, let framing):
                var message = Message()
                message.status = "\(response.status.code)"
                message.version = "1.\(framing.minorVersion)"
                message.fields = Self.fields(response.headerFields)
                message.hasHead = true
                // An informational response has no end.
                message.isComplete = response.status.code < 200 || framing.body == .tunnel
                messages.append(message)
                pausesAtEnd = !framing.isPersistent
                if framing.body == .tunnel { isPaused = true }
            case .body(let bytes): messages[messages.count - 1].body += Array(bytes)
            case .end(let trailers):
                messages[messages.count - 1].trailers = Self.fields(trailers ?? [:])
                messages[messages.count - 1].isComplete = true
                if pausesAtEnd { isPaused = true }
            }
        }

        private var pausesAtEnd = false

        private static func target(_ request: HTTPRequest) -> String {
            guard let path = request.path else { return request.authority ?? "" }
            return path
        }

        private static func fields(_ fields: HTTPFields) -> [Field] {
            fields.map { field in
                Field(name: field.name.canonicalName, value: field.withUnsafeBytesOfValue { Array($0) })
            }
        }
    }
#endif
