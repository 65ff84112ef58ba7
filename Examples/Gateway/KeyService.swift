// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    /// Answers requests for `/keys/NAME` with the replies of the key-value server.
    struct KeyService: Sendable {
        typealias Answer = Signal<HTTPResponseMessage, HTTPError>

        private let pools: [OriginPool]
        private let maxValue: Int

        init(_ pools: [OriginPool], maxValue: Int) {
            self.pools = pools
            self.maxValue = maxValue
        }

        /// Answers a request. Call it on the loop of its connection.
        func respond(to request: HTTPRequestMessage) -> Answer {
            guard let key = KeyName.decode(request.head.path ?? "/") else {
                return .just(Self.text(.badRequest, "the path must be /keys/NAME, with a percent-encoded name"))
            }
            guard let pool = pools.first(where: { $0.loop.isCurrent }) else { preconditionFailure("not on a loop") }
            switch request.head.method {
            case .get: return answer(pool, "GET", key) { Self.value($0, $1) }
            case .head: return answer(pool, "EXISTS", key) { Self.found(.ok, $0, $1) }
            case .delete: return answer(pool, "DEL", key) { Self.found(.noContent, $0, $1) }
            case .put: return store(request, pool, key)
            default:
                var response = Self.text(.methodNotAllowed, "a key has the methods GET, HEAD, PUT and DELETE")
                response.head.headerFields[.allow] = "GET, HEAD, PUT, DELETE"
                return .just(response)
            }
        }

        /// Stores a body. Its length must be known, because it precedes a value (RESP), and only a copy of the value would
        /// provide it.
        private func store(_ request: HTTPRequestMessage, _ pool: OriginPool, _ key: Bytes) -> Answer {
            let fields = request.head.headerFields
            // A request with neither a length nor a body has the length 0, but perhaps its sender has lost the value.
            guard fields.contains(.contentLength), let length = request.body.length else {
                return .just(Self.text(.lengthRequired, "a value needs the field Content-Length"))
            }
            // RFC 9110 section 14.5: otherwise a part would replace the value.
            guard !fields.contains(.contentRange) else {
                return .just(Self.text(.badRequest, "a part of a value cannot be stored"))
            }
            guard length <= maxValue else {
                return .just(Self.text(.contentTooLarge, "a value has at most \(maxValue) bytes"))
            }
            let value = request.body.signal.mapError { GatewayError.request($0) }
            return answer(pool, "SET", key, value, length) { lease, reply in
                // A reply before the end of the value does not mean that the value has been stored.
                guard case .done = reply.head, lease.hasSentCommand else { return nil }
                lease.finish(reply)
                return .response(.noContent)
            }
        }

        /// Executes a command. `respond` returns `nil` for a reply that the command does not have.
        private func answer(
            _ pool: OriginPool,
            _ name: String,
            _ key: Bytes,
            _ value: Signal<Bytes, GatewayError>? = nil,
            _ length: Int = 0,
            _ respond: @escaping @Sendable (Lease, Reply) -> HTTPResponseMessage?
        ) -> Answer {
            let last: Bytes = value == nil ? "" : "$\(length)\r\n"
            let command: Bytes =
                "*\(value == nil ? 2 : 3)\r\n$\(name.utf8.count)\r\n\(name)\r\n$\(key.count)\r\n\(key)\r\n\(last)"
            return pool.lease()
                .flatMap { lease in
                    lease.exchange(command, value: value).map { reply in
                        if case .refused(let text) = reply.head {
                            lease.finish(reply)
                            return Self.text(.badGateway, "the key-value server refused the command: \(text)")
                        }
                        return respond(lease, reply)
                            ?? Self.text(.badGateway, "the key-value server sent a reply that \(name) does not have")
                    }
                }
                .flatMapError { error -> Answer in
                    if case .request(let error) = error { return .fail(error) }
                    return .just(Self.text(error.asHTTP.status ?? .badGateway, "\(error)"))
                }
        }

        private static func value(_ lease: Lease, _ reply: Reply) -> HTTPResponseMessage? {
            switch reply.head {
            case .value(let length):
                let value = lease.value(behind: reply, length: length).mapError { $0.asHTTP }
                let body = HTTPBody(value, length: length)
                return .ok(body, type: "application/octet-stream")
            case .missing:
                lease.finish(reply)
                return text(.notFound, "there is no such key")
            default: return nil
            }
        }

        private static func found(
            _ status: HTTPResponse.Status,
            _ lease: Lease,
            _ reply: Reply
        ) -> HTTPResponseMessage? {
            guard case .number(let count) = reply.head else { return nil }
            lease.finish(reply)
            guard count > 0 else { return text(.notFound, "there is no such key") }
            if status != .ok { return .response(status) }
            // EXISTS does not return the length, and an answer to HEAD must not name another one than that to GET.
            let unknown = HTTPBody(Signal<Bytes, GatewayError>.empty)
            return .response(status, unknown, type: "application/octet-stream")
        }

        private static func text(_ status: HTTPResponse.Status, _ text: String) -> HTTPResponseMessage {
            .response(status, HTTPBody(Bytes("\(text)\n")), type: "text/plain; charset=utf-8")
        }
    }
#endif
