// SPDX-License-Identifier: MIT
#if HTTP
    import ArgumentParser
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    #if NATS
        import ReactiveNATS
    #endif

    /// Carries lines between processes.
    protocol Backplane: Sendable {
        /// The lines of all processes, including this one.
        var lines: Signal<(room: String, text: String), Never> { get }
        func publish(_ text: String, in room: String)
    }

    /// Connects to a NATS server. Returns `nil` without a URL.
    func makeBackplane(_ url: String?, on loop: any LoopScheduler) throws -> (any Backplane)? {
        guard let url else { return nil }
        #if NATS
            return NATSBackplane(NATSClient(to: [url], on: loop))
        #else
            throw ValidationError("--nats needs the trait NATS: build the examples with --traits HTTP,NATS")
        #endif
    }

    #if NATS
        /// Each room is a subject. Lines that are published while the connection is lost arrive after it is back.
        private struct NATSBackplane: Backplane {
            private static let subject = "webchat.room."
            let client: NATSClient

            init(_ client: NATSClient) { self.client = client }

            var lines: Signal<(room: String, text: String), Never> {
                client.subscribe("\(Self.subject)*")
                    .map { message in
                        (room: String(message.subject.dropFirst(Self.subject.count)), text: String(message.payload))
                    }
                    .flatMapError { error in
                        print("web-chat: no lines of other processes: \(error)")
                        return .empty
                    }
            }

            func publish(_ text: String, in room: String) { client.publish(Bytes(text), to: Self.subject + room) }
        }
    #endif
#endif
