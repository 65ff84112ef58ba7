import ReactiveSignals

let celsius = Property(19.0)
let subscription = celsius.signal
    .map { $0 > 21 }
    .skipRepeats()
    .filter { $0 }
    .subscribe(onValue: { _ in print("too warm") })

celsius.value = 22.5  // Prints "too warm".
celsius.value = 23.1  // Prints nothing: it is still too warm.
celsius.value = 18.0
subscription.dispose()
celsius.value = 24.0  // Prints nothing: nothing is subscribed.
