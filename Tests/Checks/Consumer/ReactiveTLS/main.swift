import Reactive
import ReactiveTLS
import SchedulerDispatch

let loop = DispatchLoop.main
let tls = try TLSContext()
Connection.connect(toHost: "example.org", port: 443, tls: tls, loop: loop)
    .flatMap { connection -> Signal<Bytes, SocketError> in
        connection.send("GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n")
        return connection.received
    }
    .subscribe(
        onValue: { bytes in print(bytes) },
        onTermination: { termination in
            print(termination)
            loop.stop()
        }
    )
try loop.run()
