import ReactiveCore
import SchedulerEngine

let loop = try EpollLoop(name: "example", thread: .caller)
loop.schedule(after: .milliseconds(20)) { print("third") }
loop.execute { print("first") }
loop.execute { print("second") }
try loop.runUntilIdle()  // Prints "first", "second", "third".
