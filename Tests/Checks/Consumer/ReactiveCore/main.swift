import ReactiveCore
import SchedulerDispatch

func startHeartbeat(on scheduler: any TimedScheduler) -> any Disposable {
    scheduler.schedule(every: .seconds(1)) { print("alive") }
}

let heartbeat = startHeartbeat(on: DispatchLoop.main)
try DispatchLoop.main.run()
