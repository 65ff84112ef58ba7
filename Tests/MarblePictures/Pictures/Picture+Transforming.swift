// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
    static let transforming = [
        Picture("map(_:)", ["a": "-a-b-c-|"], "-A-B-C-|") { on in on.a.map { $0.uppercased() } },
        Picture("replaceValues(with:)", ["a": "-a-b-c-|"], "-x-x-x-|") { on in on.a.replaceValues(with: "x") },
        Picture("compactMap(_:)", ["a": "-1-b-3-|"], "-1---3-|") { on in on.a.compactMap { Int($0) } },
        Picture("skipNil()", ["a": "-1-b-3-|"], "-1---3-|") { on in on.a.map { Int($0) }.skipNil() },
        Picture("scan(_:_:)", ["n": "-1-2-3-|"], "-1-3-6-|") { on in on.n.scan(0) { $0 + $1 } },
        Picture("scan(into:_:)", ["a": "-a-b-c-|"], "-a-x-y-|", ["x": "ab", "y": "abc"]) { on in
            on.a.scan(into: "") { $0 += $1 }
        },
        Picture("scanMap(into:_:)", ["a": "-a-b-c-|"], "-x-y-z-|", ["x": "a1", "y": "b2", "z": "c3"]) { on in
            on.a.scanMap(into: 0) { count, letter in
                count += 1
                return letter + "\(count)"
            }
        },
        Picture("combinePrevious()", ["a": "-a-b-c-|"], "---x-y-|", ["x": "ab", "y": "bc"]) { on in
            on.a.combinePrevious()
        },
        Picture("combinePrevious(_:)", ["a": "-a-b-c-|"], "-w-x-y-|", ["w": "0a", "x": "ab", "y": "bc"]) { on in
            on.a.combinePrevious("0")
        },
        Picture("reduce(_:_:)", ["n": "-1-2-3-|"], "-------(6|)") { on in on.n.reduce(0) { $0 + $1 } },
        Picture("reduce(into:_:)", ["a": "-a-b-c-|"], "-------(x|)", ["x": "abc"]) { on in
            on.a.reduce(into: "") { $0 += $1 }
        },
        Picture("collect()", ["a": "-a-b-c-|"], "-------(x|)", ["x": "[a b c]"]) { on in on.a.collect() },
        Picture("collect(count:)", ["a": "-a-b-c-|"], "---x---(y|)", ["x": "[a b]", "y": "[c]"]) { on in
            on.a.collect(count: 2)
        },
        Picture("collect(until:)", ["n": "-1-2-3-1-|"], "-----x---(y|)", ["x": "[1 2 3]", "y": "[1]"]) { on in
            on.n.collect(until: { $0.reduce(0, +) > 3 })
        },
        Picture("collect(every:count:on:)", ["a": "-ab---c-|"], "----x---(y|)", ["x": "[a b]", "y": "[c]"]) { on in
            on.a.collect(every: .seconds(3), on: on.time)
        },
        Picture("attemptMap(_:)", ["a": "-a-b-c-d-|"], "-A-B-#") { on in
            on.a.attemptMap { letter throws(Trouble) in
                if letter == "c" { throw .lost }
                return letter.uppercased()
            }
        },
        Picture("attempt(_:)", ["n": "-1-2-3-4-|"], "-1-2-#") { on in
            on.n.attempt { number throws(Trouble) in
                if number > 2 { throw .late }
            }
        },
        Picture("mapError(_:)", ["a": "-a-b-#"], "-a-b-#") { on in on.a.mapError { _ in Trouble.late } },
        Picture("setFailureType(to:)", ["other": "-a-b-"], "-a-b-") { on in
            on.other.setFailureType(to: Trouble.self)
        },
        Picture("setValueType(to:)", ["a": "-a-b-|"], "-----|") { on in
            on.a.ignoreValues(Never.self).setValueType(to: String.self)
        },
        Picture("materialize()", ["a": "-a-b-#"], "-a-b-(x|)", ["x": "#"]) { on in on.a.materialize() },
        Picture("dematerialize()", ["a": "-a-b-#"], "-a-b-#") { on in on.a.materialize().dematerialize() },
        Picture("group(by:whilePaused:)", ["n": "-1-2-3-|"], "-x-y-z-|", ["x": "odd 1", "y": "even 2", "z": "odd 3"]) {
            on in
            on.n.group(by: { $0 % 2 == 0 ? "even" : "odd" }).flatMap { group in
                group.signal.map { "\(group.key) \($0)" }
            }
        },
    ]
}
