// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
    static let timing = [
        Picture("delay(_:on:limit:)", ["a": "-a-b-|"], "---a-b-|") { on in on.a.delay(.seconds(2), on: on.time) },
        Picture("debounce(_:on:discardWhenCompleted:)", ["a": "-ab---c|"], "----b--(c|)") { on in
            on.a.debounce(.seconds(2), on: on.time)
        },
        Picture("throttle(_:on:latest:discardWhenCompleted:)", ["a": "-abcde----|"], "-a--d--e--|") { on in
            on.a.throttle(.seconds(3), on: on.time)
        },
        Picture("throttle(_:on:latest:discardWhenCompleted:) first", ["a": "-abcde----|"], "-a--d-----|") { on in
            on.a.throttle(.seconds(3), on: on.time, latest: false)
        },
        Picture("rateLimit(_:per:on:limit:)", ["a": "-(abc)---|"], "-a-b-(c|)") { on in
            on.a.rateLimit(1, per: .seconds(2), on: on.time)
        },
        Picture("timeout(after:raising:on:)", ["a": "-a-b-c-d-|"], "-a-b-c#") { on in
            on.a.timeout(after: .seconds(6), raising: .late, on: on.time)
        },
        Picture("timeout(idle:raising:on:)", ["a": "-a-b-----c-|"], "-a-b--#") { on in
            on.a.timeout(idle: .seconds(3), raising: .late, on: on.time)
        },
    ]
}
