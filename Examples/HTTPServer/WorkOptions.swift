// SPDX-License-Identifier: MIT
#if HTTP
    import ArgumentParser
    import HTTPTypes
    import ReactiveCommands
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    /// A path whose requests wait for a simulated database, with and without protection against overload.
    struct WorkOptions: ParsableArguments {
        @Option(help: "The number of milliseconds that a query takes. With 0, there is no path /work.")
        var work = 0.0

        @Option(help: "The number of queries that the database answers at a time. Others wait.")
        var workers = 8

        @Flag(help: "Reject requests of /work with 503 when the database is overloaded.")
        var overload = false

        func check() throws {
            guard (0...60_000).contains(work) else { throw ValidationError("--work must be a number from 0 to 60000") }
            guard (1...10_000).contains(workers) else {
                throw ValidationError("--workers must be a number from 1 to 10000")
            }
            guard work > 0 || !overload else { throw ValidationError("--overload needs --work") }
        }

        /// A service that answers GET /work after a query, and other requests with `respond`.
        func service(
            on loop: any LoopScheduler,
            otherwise respond: @escaping @Sendable (HTTPRequestMessage) -> HTTPResponseMessage
        ) -> HTTPService {
            guard work > 0 else { return .function(respond) }
            let duration = Duration.milliseconds(work)
            let query = Command<HTTPRequestMessage, HTTPResponseMessage, Never>(.queue(limit: .max, running: workers)) {
                _ in
                Signal<Void, Never>.timer(after: duration, on: loop).map { .ok("done\n", type: "text/plain") }
            }
            let service = HTTPService.signal { request in
                isQuery(request.head) ? query.apply(request) : .just(respond(request))
            }
            guard overload else { return service }
            return service.limited(by: LoadLimiter(on: loop)) { request in !isQuery(request) }
        }
    }

    /// Whether a request needs the database. Others are never rejected.
    private func isQuery(_ request: HTTPRequest) -> Bool { request.method == .get && request.path == "/work" }
#endif
