#if NATS
    import ArgumentParser
    import Glibc
    import Loops
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// A chat in lines: rooms, history, who is here. Any number of these processes, on any loops, are one chat.
    @main
    struct Chat: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "chat",
            abstract: "A chat whose rooms are subjects of NATS, and whose history is JetStream's.",
            discussion: """
                Lines to say: NAME you; JOIN room; RESUME room number (everything after that one); SAY room id text; \
                WHO room; LEAVE room. A line that is said twice with one id is said once. Names and ids have 1 to 64 letters, \
                digits, - and _.
                """
        )

        @Option(help: "The event loop: dispatch, libuv or libevent.")
        var loop = LoopChoice.dispatch

        @Option(help: "The address to listen on: IPv4 or IPv6, not a name.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on, 0 to 65535; 0 lets the system pick one.")
        var port = 7000

        @Option(help: "How many clients are served at once; further ones wait.")
        var maxConnections = 1000

        @Option(help: "Where NATS is.")
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
            client.jetStream.create(stream).subscribe(onTermination: { termination in
                if case .failed(let error) = termination {
                    failed.value = error
                    return loop.stop()
                }
                print("listening on \(server.localAddress), \(self.loop) loop")
                fflush(nil)  // whoever reads this from a pipe waits for it
            })
            loop.processSignals(.interrupt, .terminate).subscribe(onValue: { _ in loop.stop() })
            try loop.run()
            if let error = failed.value {
                print("chat: \(error)")
                throw ExitCode.failure
            }
        }
    }
#else
    /// Without the trait there is no NATS to talk to.
    @main
    struct Chat {
        static func main() { print("build it with the trait NATS: swift run --traits Libuv,Libevent,NATS chat") }
    }
#endif
