import ReactiveSignals
import ReactiveSockets
import SchedulerDispatch

// A client in ten lines: sends a line to the echo server and prints what comes back.
let loop = DispatchLoop.main
let address = SocketAddress.loopback(port: 7000)
Connection.connect(to: address, loop: loop).subscribe(
    onValue: { connection in
        connection.received.subscribe(
            onValue: { print($0, terminator: "") },
            onTermination: { _ in loop.stop() }
        )
        connection.send("hello\n")
        connection.finishSending()
    },
    onTermination: { if case .failed(let error) = $0 { fatalError("\(error)") } }
)
try loop.run()
