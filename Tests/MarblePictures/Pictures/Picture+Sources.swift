// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
    static let sources = [
        Picture("just(_:)", [:], "(a|)") { on in Signal<String, Never>.just("a") },
        Picture("fail(_:)", [:], "#") { on in Signal<String, Trouble>.fail(.lost) },
        Picture("interval(_:startingAfter:on:leeway:)", [:], "--0-1-(2|)") { on in
            Signal<Int, Never>.interval(.seconds(2), on: on.time).take(3)
        },
        Picture("interval(_:startingAfter:on:leeway:) immediately", [:], "0--1--(2|)") { on in
            Signal<Int, Never>.interval(.seconds(3), startingAfter: .zero, on: on.time).take(3)
        },
        Picture("interval(values:every:on:)", [:], "--a-b-(c|)") { on in
            Signal<String, Never>.interval(values: ["a", "b", "c"], every: .seconds(2), on: on.time)
        },
        Picture("timer(after:on:)", [:], "---(x|)", ["x": "()"]) { on in
            Signal<Void, Never>.timer(after: .seconds(3), on: on.time)
        },
        Picture("perform(on:_:)", [:], "(a|)") { on in Signal<String, Never>.perform(on: on.time) { "a" } },
    ]
}
