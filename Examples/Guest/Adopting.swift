// SPDX-License-Identifier: MIT
#if Libuv
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerLibuv

    /// Starts an echo server on the `uv_loop_t` of an existing program. The server runs on that program's thread,
    /// between the callbacks of its handles.
    func serve(on loop: UnsafeMutableRawPointer, port: UInt16) throws -> LibuvLoop {
        let guest = try LibuvLoop(attachedTo: loop)
        let listener = try Listener(on: .loopback(port: port), loop: guest)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        return guest
    }
#endif
