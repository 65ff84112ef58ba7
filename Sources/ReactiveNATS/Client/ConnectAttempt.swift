// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore

    /// One call to nats.c that connects, on a thread of the pool. It belongs to the client's loop.
    ///
    /// nats.c waits for the answer to a TLS handshake without a limit. When an attempt is given up, its handshake is
    /// interrupted. Its late result is dropped, which closes the connection.
    final class ConnectAttempt {
        private let core: ClientCore
        /// `nil` once the attempt has ended or has been given up.
        private var completion: ((Result<NATSHandle, NATSError>) -> Void)?
        var timer: (any Disposable)?

        init(_ core: ClientCore, _ completion: @escaping (Result<NATSHandle, NATSError>) -> Void) {
            self.core = core
            self.completion = completion
        }

        /// nats.c has returned.
        func end(_ result: Result<NATSHandle, NATSError>) {
            timer?.dispose()
            completion.take()?(result)
        }

        /// nats.c has not returned in time.
        func giveUp(_ why: String) {
            guard let completion = completion.take() else { return }
            core.link?.interrupt()
            core.letGoOfConnection()
            completion(.failure(NATSError(.timedOut, why)))
        }
    }
#endif
