import ReactiveSignals
import ReactiveTesting

let time = TestScheduler()
let keys = time.hot("-ab---c----|")
let recorder = time.record(keys.signal.debounce(.seconds(2), on: time))
try time.run()
print(recorder.marbles)  // Prints "----b---c--|".
