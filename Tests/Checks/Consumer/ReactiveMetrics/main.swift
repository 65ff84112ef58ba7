import Reactive
import ReactiveMetrics
import SchedulerDispatch

let loop = DispatchLoop.main
let server = try Server(on: .loopback(port: 7000), loops: LoopGroup(loop)) { connection in
    connection.send(from: connection.received)
}
server.record(prefix: "echo")
try loop.run()
