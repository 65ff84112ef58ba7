// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
    static let recovering = [
        Picture("flatMapError(_:)", ["a": "-a-b-#", "b": "-1-2-|"], "-a-b--1-2-|") { on in
            on.a.flatMapError { _ in on.b }
        },
        Picture("retry(upTo:)", ["a": "-a-#"], "-a--a-#") { on in on.a.retry(upTo: 1) },
        Picture("retry(upTo:after:on:)", ["a": "-a-#"], "-a----a-#") { on in
            on.a.retry(upTo: 1, after: .seconds(2), on: on.time)
        },
        Picture("retry(upTo:backoff:on:)", ["a": "-#"], "------#") { on in
            on.a.retry(upTo: 2, backoff: Backoff(first: .seconds(1), jitter: 0), on: on.time)
        },
        Picture("repeat(times:)", ["a": "-a-|"], "-a--a-|") { on in on.a.repeat(times: 2) },
    ]
}
