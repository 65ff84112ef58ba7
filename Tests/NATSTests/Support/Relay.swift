// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import SchedulerEngine

    /// Passes the bytes of clients and of a server on, on a loop of its own. It can hold back a part of them.
    final class Relay: Sendable {
        /// The bytes of the server that are held back since the middle of a chunk.
        private let held = Box<[UInt8]?>(nil)
        private let cutsNext = Box(false)
        /// Whether the bytes of clients are dropped.
        let isDeaf = Box(false)
        private let loop: any LoopScheduler
        private let server: Server
        private let clients = Recorder<UnsafeTransfer<Connection>>()

        init(_ kind: LoopKind, to target: NATSServer) throws {
            let loop = try kind.make(name: "nats-relay", thread: .owned)
            self.loop = loop
            let (held, cutsNext, isDeaf, clients, port) = (held, cutsNext, isDeaf, clients, target.port)
            server = try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { client in
                clients.append(UnsafeTransfer(client))
                return Connection.connect(to: .loopback(port: UInt16(port)), loop: loop).flatMap { server in
                    server.send(from: client.received.compactMap { isDeaf.value ? nil : $0 })
                        .subscribe(onTermination: { _ in })
                    return client.send(
                        from: server.received.map { chunk in
                            if held.value != nil {
                                held.update { $0?.append(contentsOf: chunk) }
                                return Bytes()
                            }
                            guard cutsNext.value, chunk.count > 40 else { return chunk }
                            held.value = Array(chunk.dropFirst(chunk.count / 2))
                            return Bytes(Array(chunk.prefix(chunk.count / 2)))
                        }
                    )
                }
            }
        }

        var url: String { "nats://127.0.0.1:\(server.localAddress.port)" }

        /// Whether half of a chunk is held back.
        var isHolding: Bool { held.value != nil }

        /// Passes the first half of the next chunk of the server on, and holds back the rest and what follows.
        func cut() { cutsNext.value = true }

        /// Passes on what was held back.
        func release() {
            loop.execute { [held, cutsNext, clients] in
                cutsNext.value = false
                guard let rest = held.update({ $0.take() }) else { return }
                for client in clients.values { client.value.send(Bytes(rest)) }
            }
        }

        /// Ends the connections.
        func end() {
            server.stop()
            for client in clients.values { client.value.abort() }
            loop.dispose()
        }
    }
#endif
