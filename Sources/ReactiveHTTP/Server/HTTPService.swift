// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    public import ReactiveCommands
    public import ReactiveSignals

    /// The code that answers the requests of an ``HTTPServer``, in one of four forms, or several by path.
    ///
    /// The server calls it once for each request, on the loop of the connection. Only the function of ``task(_:)`` runs
    /// elsewhere: in a task.
    public struct HTTPService: Sendable {
        typealias Start = @Sendable (HTTPRequestMessage, ResponseSlot, SignalSubscription) -> Void
        typealias Responses = @Sendable (HTTPRequestMessage) -> Signal<HTTPResponseMessage, any Error>

        enum Content: Sendable {
            /// Answers before it returns.
            case function(@Sendable (HTTPRequestMessage) -> HTTPResponseMessage)
            /// Subscribes to a signal of the response. The other closure returns that signal.
            case signal(Start, Responses)
            /// Asks the service for the path of the request.
            case paths(PathTable)
        }

        let content: Content

        /// Answers each request with the result of a function.
        ///
        /// - Parameter respond: Answers a request. It should return soon, because the loop waits for it.
        public static func function(
            _ respond: @escaping @Sendable (HTTPRequestMessage) -> HTTPResponseMessage
        ) -> HTTPService {
            HTTPService(content: .function(respond))
        }

        /// Answers each request with the first value of a signal.
        ///
        /// If the signal fails with an ``HTTPError`` that has a status, such as that of ``HTTPBody/bytes(limit:)``, the
        /// peer receives this status, and for a status below 500 the message. Any other failure, and a completion without
        /// a value, is answered with 500. The subscription ends with the response, or when the connection ends or the
        /// client ends its stream (``HTTPLimits/answersHalfClosed``).
        ///
        /// - Parameter service: Returns the signal of the response. The signal may send on any thread.
        public static func signal<Failure: Error>(
            _ service: @escaping @Sendable (HTTPRequestMessage) -> Signal<HTTPResponseMessage, Failure>
        ) -> HTTPService {
            HTTPService(
                content: .signal(
                    { request, slot, subscription in
                        service(request).attach(TargetSink(ResponseTarget(slot, subscription)), in: subscription)
                    },
                    { request in service(request).mapError { $0 as any Error } }
                )
            )
        }

        /// The signal of the response to a request, for a service around this one. The service is called for each
        /// subscription.
        package func responses(to request: HTTPRequestMessage) -> Signal<HTTPResponseMessage, any Error> {
            .deferred {
                switch content {
                case .function(let respond): .just(respond(request))
                case .signal(_, let responses): responses(request)
                case .paths(let table): table.service(for: request.head.path ?? "").responses(to: request)
                }
            }
        }

        /// Executes a command for each request.
        ///
        /// If the command rejects a request, the response is 503 with `Retry-After: 1`. A failure of the work is handled
        /// like the failure of a signal. If the connection ends first, the execution is cancelled.
        ///
        /// - Parameter command: The command. All connections share it, and its strategy decides how many requests run at
        ///   once.
        public static func command<Failure: Error>(
            _ command: Command<HTTPRequestMessage, HTTPResponseMessage, Failure>
        ) -> HTTPService {
            .signal { request in
                command.apply(request).flatMapError { error -> Signal<HTTPResponseMessage, any Error> in
                    switch error {
                    case .failed(let failure): .fail(failure)
                    case .rejected: .just(.busy("the service is busy", retryAfter: .seconds(1)))
                    case .cancelled: .fail(error)
                    }
                }
            }
        }

        /// Calls an asynchronous function in a new task for each request.
        ///
        /// An error that it throws is answered as the failure of a signal. If the connection ends first, the task is
        /// cancelled.
        ///
        /// - Parameter respond: Answers a request.
        public static func task(
            _ respond: @escaping @Sendable (HTTPRequestMessage) async throws -> HTTPResponseMessage
        ) -> HTTPService {
            .signal { request in Signal { () async throws(any Error) in try await respond(request) } }
        }
    }
#endif
