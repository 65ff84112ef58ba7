// SPDX-License-Identifier: MIT
import ReactiveSignals

struct Broken: Error {}

// The accepted forms of the code in Rejected/Failures.swift.
func handled(_ numbers: Signal<Int, Broken>, _ done: Signal<Never, Broken>, _ subscription: SignalSubscription) {
    numbers.subscribe(onValue: { print($0 + 1) }, onTermination: { print($0) })
    numbers.subscribe {
        print($0 + 1)
    } onTermination: {
        print($0)
    }
    numbers.subscribe(in: subscription, onValue: { print($0 + 1) }, onTermination: { print($0) })
    numbers.subscribe(onMain: { print($0 + 1) }, onTermination: { print($0) })
    numbers.flatMapError { _ in .just(0) }.subscribe { print($0 + 1) }
    done.subscribe(onTermination: { print($0) })
    done.subscribe { if case .failed(let error) = $0 { print(error) } }
    done.subscribe(in: subscription, onTermination: { print($0) })
}

// A signal that cannot fail needs no handler of the termination.
func infallible(_ numbers: Signal<Int, Never>, _ done: Signal<Never, Never>, _ subscription: SignalSubscription) {
    numbers.subscribe { print($0 + 1) }
    numbers.subscribe {
        print($0 + 1)
    } onTermination: {
        print($0)
    }
    numbers.subscribe(onValue: { print($0 + 1) }).dispose()
    numbers.subscribe(in: subscription, onValue: { print($0 + 1) })
    numbers.subscribe(onMain: { print($0 + 1) })
    numbers.subscribe(in: subscription)
    numbers.subscribe()
    done.subscribe(onTermination: { print($0) })
    done.subscribe()
}

// The same in generic code.
func generic<Value, Failure>(_ signal: Signal<Value, Failure>, _ done: Signal<Never, Failure>) {
    signal.subscribe(onValue: { print($0) }, onTermination: { print($0) })
    done.subscribe(onTermination: { print($0) })
}
