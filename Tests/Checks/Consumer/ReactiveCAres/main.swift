import Reactive
import ReactiveCAres
import SchedulerDispatch

let loop = DispatchLoop.main
let names = AresResolver(loop: loop)
Connection.connect(toHost: "localhost", port: 7000, loop: loop, resolver: names.resolver).subscribe(
    onValue: { connection in print("connected to", connection.remoteAddress as Any) },
    onTermination: { termination in
        print(termination)
        loop.stop()
    }
)
try loop.run()
