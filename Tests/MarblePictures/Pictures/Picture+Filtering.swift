// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
    static let filtering = [
        Picture("filter(_:)", ["n": "-1-2-3-4-|"], "-----3-4-|") { on in on.n.filter { $0 > 2 } },
        Picture("ignoreValues(_:)", ["a": "-a-b-|"], "-----|") { on in on.a.ignoreValues(String.self) },
        Picture("skipRepeats()", ["a": "-a-a-b-a-|"], "-a---b-a-|") { on in on.a.skipRepeats() },
        Picture("skipRepeats(by:)", ["n": "-1-2-8-9-|"], "-1---8---|") { on in
            on.n.skipRepeats(by: { abs($0 - $1) < 3 })
        },
        Picture("take(_:)", ["a": "-a-b-c-|"], "-a-(b|)") { on in on.a.take(2) },
        Picture("take(last:)", ["a": "-a-b-c-|"], "-------(bc|)") { on in on.a.take(last: 2) },
        Picture("take(while:includingLast:)", ["n": "-1-2-3-1-|"], "-1-2-|") { on in on.n.take(while: { $0 < 3 }) },
        Picture("take(until:)", ["a": "-a-b-c-d-|", "trigger": "----x-"], "-a-b|") { on in
            on.a.take(until: on.trigger)
        },
        Picture("take(during:)", ["a": "-a-b-c-d-|"], "-a-b|") { on in on.a.take(during: on.lifetime(4)) },
        Picture("take(untilReplacement:)", ["a": "-a-b-c-d-|", "b": "----x-y-|"], "-a-bx-y-|") { on in
            on.a.take(untilReplacement: on.b)
        },
        Picture("skip(_:)", ["a": "-a-b-c-|"], "-----c-|") { on in on.a.skip(2) },
        Picture("skip(while:)", ["n": "-1-2-3-1-|"], "-----3-1-|") { on in on.n.skip(while: { $0 < 3 }) },
        Picture("skip(until:)", ["a": "-a-b-c-d-|", "trigger": "----x-"], "-----c-d-|") { on in
            on.a.skip(until: on.trigger)
        },
    ]
}
