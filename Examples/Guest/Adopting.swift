#if Libuv
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerLibuv

    /// An echo server on the `uv_loop_t` of a program that has one: between its handles, on its thread, while it runs.
    func serve(on loop: UnsafeMutableRawPointer, port: UInt16) throws -> LibuvLoop {
        let guest = try LibuvLoop(attachedTo: loop)
        let listener = try Listener(on: .loopback(port: port), loop: guest)
        listener.connections.subscribe(onValue: { connection in
            connection.send(from: connection.received)
        })
        return guest
    }
#endif
