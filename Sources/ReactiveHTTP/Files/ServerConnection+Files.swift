// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSignals
    import ReactiveSockets

    /// Files as response bodies.
    extension ServerConnection {
        /// Sends a file. The connection sends its bytes directly, unless a transformer needs them.
        func send(_ head: HTTPResponse, _ content: FileContent) {
            guard connection.sendsFiles, !isHead, head.status.allowsBody else {
                return send(head, BodySource(content))
            }
            sendHead(head, .fixed(content.length))
            let (settings, peer, path) = (settings, peer, path)
            for part in content.parts {
                // The connection may have failed.
                if state.isClosed { return }
                switch part {
                case .bytes(let bytes): sink.receive(bytes)
                case .file(let range):
                    let part = FilePart(content.file, range) { error in
                        let code: HTTPError.Code = error.errno == 0 ? .lengthMismatch : .sourceFailed
                        settings.report(HTTPError(code, error.message, cause: error), peer, path: path)
                    }
                    connection.send(part, pausing: output)
                }
            }
            if state.endResponse() { exchangeEnded() } else { work() }
        }
    }
#endif
