import Reactive
import ReactiveNATS
import SchedulerDispatch

let loop = DispatchLoop.main
let client = NATSClient(to: ["nats://127.0.0.1:4222"], on: loop)
client.subscribe("room.*").subscribe(
    onValue: { message in print(message.subject, message.payload) },
    onTermination: { _ in loop.stop() }
)
client.publish("hello", to: "room.one")
try loop.run()
