import Logging
import Reactive
import ReactiveServiceLifecycle
import SchedulerDispatch
import ServiceLifecycle

let loop = try DispatchLoop(name: "io")
let echo = ServerService(grace: .seconds(20)) {
    try Server(on: .loopback(port: 7000), loops: LoopGroup(loop)) { connection in
        connection.send(from: connection.received)
    }
}
let services = ServiceGroup(services: [echo], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "echo"))
try await services.run()
