// SPDX-License-Identifier: MIT
import ReactiveSignals

struct Broken: Error {}
struct Lost: Error {}

func failures(
    _ numbers: Signal<Int, Broken>,
    _ property: Property<Int>,
    _ others: Signal<Int, Lost>,
    _ sure: Signal<Int, Never>
) {
    numbers.bind(to: property)  // rejected: 'Broken' and 'Never' be equivalent
    _ = numbers.merge(with: others)  // rejected: cannot convert value of type 'Signal<Int, Lost>'
    // swift-format-ignore
    _ = numbers.attemptMap { (value) throws(Lost) in value }  // rejected: invalid conversion of thrown error type 'Lost' to 'Broken'
    _ = numbers.take(until: others)  // rejected: cannot convert value of type 'Signal<Int, Lost>'
    _ = numbers.flatMap { _ in others }  // rejected: a signal that fails as this one or never
    _ = numbers.flatMap(.latest) { $0 + 1 }  // rejected: the closure must return a signal
    _ = sure.flatMap { $0 + 1 }.map { $0 * 2 }  // rejected: the closure must return a signal
    _ = sure.flatMap(.concat) { number in  // rejected: the closure must return a signal
        let next = number + 1
        return next
    }
    _ = numbers.flatMap { $0.missing }  // rejected: value of type 'Int' has no member 'missing'
    _ = sure.flatMap { _ in others }  // rejected: use setFailureType(to:) before flatMap
    _ = sure.flatMap { _ in others.map { $0 + 1 } }.map { $0 * 2 }  // rejected: use setFailureType(to:) before flatMap
    _ = numbers.map { try parse($0) }  // rejected: invalid conversion from throwing function
    _ = numbers.map(parse)  // rejected: invalid conversion from throwing function
    _ = numbers.map { number in  // rejected: invalid conversion from throwing function
        let half = try parse(number) / 2
        return half
    }
    _ = numbers.map { $0 + "" }  // rejected: binary operator '+' cannot be applied to operands
}

func parse(_ number: Int) throws -> Int { number }

func unhandled(_ numbers: Signal<Int, Broken>, _ done: Signal<Never, Broken>, _ subscription: SignalSubscription) {
    numbers.subscribe(onValue: { print($0) })  // rejected: the signal can fail: also pass onTermination
    numbers.subscribe { print($0) }  // rejected: the signal can fail: also pass onTermination
    numbers.subscribe()  // rejected: the signal can fail: also pass onTermination
    numbers.subscribe(in: subscription, onValue: { _ in })  // rejected: the signal can fail: also pass onTermination
    numbers.subscribe(in: subscription)  // rejected: the signal can fail: also pass onTermination
    numbers.subscribe(onMain: { print($0) })  // rejected: the signal can fail: also pass onTermination
    done.subscribe()  // rejected: the signal can fail: also pass onTermination
    numbers.subscribe(onTermination: { print($0) })  // rejected: the signal sends values: also pass onValue
}

func unhandled<Failure>(_ numbers: Signal<Int, Failure>) {
    numbers.subscribe(onValue: { print($0) })  // rejected: the signal can fail: also pass onTermination
}
