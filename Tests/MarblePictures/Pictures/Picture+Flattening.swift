// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
    static let flattening = [
        Picture(
            "flatMap(_:_:)",
            ["a": "-a-b----|", "b": "1--2|"],
            "-w-xy-z-|",
            [
                "w": "a1", "x": "b1", "y": "a2", "z": "b2",
            ]
        ) { on in
            on.a.flatMap { letter in on.b.map { letter + $0 } }
        },
        Picture(
            "flatMap(_:_:) .concat",
            ["a": "-a-b----|", "b": "1--2|"],
            "-w--xy--z|",
            [
                "w": "a1", "x": "a2", "y": "b1", "z": "b2",
            ]
        ) { on in
            on.a.flatMap(.concat) { letter in on.b.map { letter + $0 } }
        },
        Picture(
            "flatMap(_:_:) .concurrent",
            ["a": "-a-b-c--|", "b": "1----2-|"],
            "-u-v--w-(xy)----z-|",
            [
                "u": "a1", "v": "b1", "w": "a2", "x": "b2", "y": "c1", "z": "c2",
            ]
        ) { on in
            on.a.flatMap(.concurrent(limit: 2)) { letter in on.b.map { letter + $0 } }
        },
        Picture(
            "flatMap(_:_:) .latest",
            ["a": "-a-b----|", "b": "1--2|"],
            "-w-x--z-|",
            [
                "w": "a1", "x": "b1", "z": "b2",
            ]
        ) { on in
            on.a.flatMap(.latest) { letter in on.b.map { letter + $0 } }
        },
        Picture("flatMap(_:_:) .first", ["a": "-a-b----|", "b": "1--2|"], "-w--x---|", ["w": "a1", "x": "a2"]) { on in
            on.a.flatMap(.first) { letter in on.b.map { letter + $0 } }
        },
        Picture("flatMap(_:_:) .race", ["a": "-ab-----|", "b": "--1-2|"], "---x-y|", ["x": "a1", "y": "a2"]) { on in
            on.a.flatMap(.race) { letter in on.b.map { letter + $0 } }
        },
        Picture(
            "flatten(_:)",
            ["a": "-a-b----|", "b": "1--2|"],
            "-w-x--z-|",
            [
                "w": "a1", "x": "b1", "z": "b2",
            ]
        ) { on in
            on.a.map { letter in on.b.map { letter + $0 } }.flatten(.latest)
        },
        Picture("window(count:whilePaused:)", ["a": "-a-b-c-d-|"], "-a-x-c-y-|", ["x": "ab", "y": "cd"]) { on in
            on.a.window(count: 2).flatMap { $0.scan("") { $0 + $1 } }
        },
        Picture("window(every:count:on:whilePaused:)", ["a": "-a-b-c-|"], "-a-x-c-|", ["x": "ab"]) { on in
            on.a.window(every: .seconds(3), on: on.time).flatMap { $0.scan("") { $0 + $1 } }
        },
        Picture(
            "window(boundary:whilePaused:)",
            ["a": "-a-b-c-|", "b": "----1--"],
            "-a-x-c-|",
            ["x": "ab"]
        ) { on in
            on.a.window(boundary: on.b).flatMap { $0.scan("") { $0 + $1 } }
        },
    ]
}
