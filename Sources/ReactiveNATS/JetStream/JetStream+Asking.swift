// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    extension JetStream {
        /// The timeout of requests about streams and consumers.
        static let patience = Duration.seconds(10)

        /// Sends a request to JetStream's API for each subscription. An error in the response fails the signal.
        func api(_ name: String, _ question: JSONValue? = nil) -> Signal<JSONValue, NATSError> {
            client.reply { core, completion in Self.ask(name, question, core, completion) }
        }

        /// Sends a request to JetStream's API, on the loop. The result identifies the request. It is `nil` if
        /// `completion` has been called already.
        static func ask(
            _ name: String,
            _ question: JSONValue?,
            within timeout: Duration = patience,
            isLimited: Bool = true,
            _ core: ClientCore,
            _ completion: @escaping (Result<JSONValue, NATSError>) -> Void
        ) -> String? {
            let message = NATSMessage(Bytes(question?.text ?? ""), to: "$JS.API.\(name)")
            return core.inbox.ask(message, within: timeout, isAskedAgain: true, isLimited: isLimited, core) { result in
                switch result {
                case .success(let answer): completion(json(of: answer, name, "\(name): malformed response"))
                case .failure(let error) where error.code == .noResponders:
                    completion(.failure(NATSError(.noJetStream, "\(name): the server has no JetStream")))
                case .failure(let error): completion(.failure(error))
                }
            }
        }

        /// The JSON of a response, or the error that it contains. The error for text that is not JSON begins with
        /// `malformed`.
        static func json(
            of answer: NATSMessage,
            _ operation: String,
            _ malformed: @autoclosure () -> String
        ) -> Result<JSONValue, NATSError> {
            guard let json = JSONReader.value(of: answer.payload) else {
                return .failure(NATSError(.malformed, "\(malformed()): \(answer.payload)"))
            }
            return failure(json, operation).map { .failure($0) } ?? .success(json)
        }

        /// The error that a response contains, or nil.
        static func failure(_ json: JSONValue, _ operation: String) -> NATSError? {
            guard let error = json["error"] else { return nil }
            let number = error["err_code"]?.integer(in: DeliveryPosition.numbers) ?? 0
            let code: NATSError.Code =
                switch number {
                case 10059, 10060: .streamMissing
                case 10014: .consumerMissing
                case 10039, 10076: .noJetStream
                case 10054: .messageTooLarge
                default: .refused
                }
            let status = error["code"]?.integer(in: DeliveryPosition.numbers) ?? 0
            let words = error["description"]?.string ?? "error \(status)"
            var failure = NATSError(code, serverCode: number, "\(operation): \(words)")
            failure.isUnavailable = status == 503
            return failure
        }
    }

    extension NATSError {
        /// Whether the same request to JetStream may succeed later: it was not sent or not answered, no server of
        /// JetStream was connected, JetStream is unavailable, or the cluster lacks a leader or a server
        /// (`server/errors.json` of nats-server).
        var mayBeTemporary: Bool {
            switch serverCode {
            // JetStream is disabled for the account or the server.
            case 10039, 10076: false
            case 10005, 10007, 10008, 10009, 10041, 10118, 10119: true
            case 0: isUnavailable || [.timedOut, .noJetStream, .bufferFull].contains(code)
            default: isUnavailable
            }
        }
    }
#endif
