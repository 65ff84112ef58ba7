// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerDispatch
    #if TLS
        import ReactiveTLS
    #endif

    // Sends GET to the URL of the argument, and prints the status and the body.
    guard CommandLine.arguments.count == 2, !CommandLine.arguments[1].hasPrefix("-") else {
        print("usage: http-client URL")
        exit(64)
    }
    var configuration = HTTPClientConfiguration()
    configuration.redirects = .follow(limit: 5)
    #if TLS
        configuration.security = try TLSContext().client
    #endif
    let client = HTTPClient(loops: LoopGroup(try DispatchLoop(name: "http")), configuration: configuration)
    do {
        guard let response = try await client.send(.get(CommandLine.arguments[1])).first() else { exit(1) }
        print(response.head.status)
        fflush(nil)
        for try await bytes in response.body.values {
            Array(bytes).withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
    } catch {
        print("error: \(error.message)")
        exit(1)
    }
#else
    print("http-client needs the trait HTTP: build the examples with --traits HTTP")
#endif
