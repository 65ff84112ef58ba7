// SPDX-License-Identifier: MIT
#if NATS
    import ArgumentParser
    import Glibc
    import Loops
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// A line-based chat with rooms and history. Any number of chat processes, on any loops, share the same rooms.
    @main
    struct Chat: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "chat",
            abstract: "A chat server. Rooms are NATS subjects, and JetStream stores their history.",
            discussion: """
                A client sends lines: NAME name; JOIN room; RESUME room number (all lines after that number); \
                SAY room id text; WHO room; LEAVE room. If a client repeats SAY with the same id, the room receives \
                the text once. Names and ids have 1 to 64 letters, digits, - and _.
                """
        )

        @Option(help: "The event loop: dispatch, libuv or libevent.")
        var loop = LoopChoice.dispatch

        @Option(help: "The IPv4 or IPv6 address to listen on. A host name is not accepted.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on, 0 to 65535. With 0 the system picks one.")
        var port = 7000

        @Option(help: "The maximum number of clients that are served at the same time. Further clients wait.")
        var maxConnections = 1000

        @Option(help: "The URL of the NATS server.")
        var nats = "nats://127.0.0.1:4222"

        func run() throws {
            try Failure.reporting { try serve() }
        }

        private func serve() throws {
            let loop = try self.loop.main()
            let client = NATSClient(to: [nats], on: loop, options: NATSOptions(reconnectWait: .milliseconds(200)))
            let rooms = Rooms(client)
            let limits = ServerLimits(maxConnections: maxConnections)
            let address = try SocketAddress(host: host, port: port)
            let server = try Server(on: address, loops: LoopGroup(loop), limits: limits) { connection in
                Session(rooms).serve(connection)
            }
            let stream = NATSStreamSettings("CHAT", subjects: ["chat.room.>"], maximumMessagesPerSubject: Room.history)
            let failed = Box<NATSError?>(nil)
            client.jetStream.create(stream).subscribe(
                onValue: { _ in },
                onTermination: { termination in
                    if case .failed(let error) = termination {
                        failed.value = error
                        return loop.stop()
                    }
                    print("listening on \(server.localAddress), \(self.loop) loop")
                    fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
                }
            )
            loop.processSignals(.interrupt, .terminate).subscribe(
                onValue: { _ in loop.stop() },
                onTermination: { print("process signals ended: \($0)") }
            )
            try loop.run()
            if let error = failed.value {
                print("chat: \(error)")
                throw ExitCode.failure
            }
        }
    }
#else
    /// A build without the trait NATS has no NATS client.
    @main
    struct Chat {
        static func main() { print("this build has no NATS client: use swift run --traits Libuv,Libevent,NATS chat") }
    }
#endif
