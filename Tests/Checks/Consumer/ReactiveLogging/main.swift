import Logging
import Reactive
import ReactiveLogging
import SchedulerDispatch

let loop = DispatchLoop.main
let server = try Server(on: .loopback(port: 7000), loops: LoopGroup(loop)) { connection in
    connection.send(from: connection.received)
}
server.log(to: Logger(label: "echo"))
try loop.run()
