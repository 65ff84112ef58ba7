// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import Testing

    /// Misuses of the API. Each key is the sentence that its misuse prints.
    private let misuses: [String: @Sendable () throws -> Void] = [
        "the path \"a\" of a service must begin with a slash": { _ = HTTPService.paths(["a": service]) },
        "two services have the same path after percent-decoding: use each path once": {
            _ = HTTPService.paths(["/a": service, "/%61": service])
        },
        "the prefix a/ of static files must begin and end with one slash": {
            _ = try StaticFiles(at: "/", below: "a/")
        },
        "cannot close with the code 999: use 1000 to 1003, 1007 to 1014, or 3000 to 4999": {
            _ = WebSocketClose(WebSocketCloseCode(rawValue: 999))
        },
        "cannot compress with the level 10: use 1 to 9": { compress { $0.level = 10 } },
        "cannot compress with the memory level 0: use 1 to 9": { compress { $0.memoryLevel = 0 } },
        "cannot send with 8 window bits: use 9 to 15": { compress { $0.sendWindowBits = 8 } },
        "cannot receive with 16 window bits: use 9 to 15": { compress { $0.receiveWindowBits = 16 } },
    ]

    @Suite struct MisuseTests {
        @Test("A misuse prints its sentence, in release builds too", arguments: misuses.keys.sorted())
        func sentence(_ sentence: String) async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [sentence] in
                try misuses[sentence]!()
            }
            let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(said.contains(sentence))
        }
    }

    private let service = HTTPService.function { _ in .ok("") }

    /// Answers the handshake of a WebSocket with changed settings of the compression.
    private func compress(_ change: (inout WebSocketCompression) -> Void) {
        var configuration = WebSocketConfiguration()
        var compression = WebSocketCompression()
        change(&compression)
        configuration.compression = compression
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        _ = HTTPMessage<HTTPResponse>.webSocket(HTTPMessage(request), configuration) { socket in socket.messages }
    }
#endif
