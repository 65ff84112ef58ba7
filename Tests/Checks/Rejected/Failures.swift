// SPDX-License-Identifier: MIT
import ReactiveSignals

struct Broken: Error {}
struct Lost: Error {}

func failures(_ numbers: Signal<Int, Broken>, _ property: Property<Int>, _ others: Signal<Int, Lost>) {
    numbers.bind(to: property)  // rejected: 'Broken' and 'Never' be equivalent
    _ = numbers.merge(with: others)  // rejected: cannot convert value of type 'Signal<Int, Lost>'
    // swift-format-ignore
    _ = numbers.attemptMap { (value) throws(Lost) in value }  // rejected: invalid conversion of thrown error type 'Lost' to 'Broken'
}
