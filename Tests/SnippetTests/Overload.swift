// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCommands
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    // The snippets of Docs/Overload.md and of doc comments. ReactiveCommandsTests, ReactiveSocketsTests and ReactiveHTTPTests
    // test these calls.

    private func serve(
        _ query: Command<HTTPRequestMessage, HTTPResponseMessage, HTTPError>,
        on address: SocketAddress,
        loops: LoopGroup
    ) throws -> HTTPServer {
        let limiter = LoadLimiter(on: loops.loops[0])
        let service = HTTPService.command(query)
        let server = try HTTPServer(
            on: address,
            loops: loops,
            service: service.limited(by: limiter) { request in request.path == "/health" }
        )
        return server
    }

    private func limited(_ service: HTTPService, by limiter: LoadLimiter) -> HTTPService {
        let limited = service.limited(by: limiter) { request in request.path == "/health" }
        return limited
    }

    private struct Database: Sendable {
        func read(_ key: Int) -> Signal<Int, Never> { .just(key) }
    }

    private func query(_ database: Database, on loop: any LoopScheduler) -> Command<Int, Int, Never> {
        let limiter = LoadLimiter(on: loop)
        let query = Command<Int, Int, Never>(.concurrent().limited(by: limiter)) { key in database.read(key) }
        return query
    }

    private func limitRate() -> ServerLimits {
        let limits = ServerLimits(connectionRatePerAddress: TokenRate(10, per: .seconds(1), burst: 50))
        return limits
    }
#endif
