// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
    static let combining =
        [
            Picture("merge(_:)", ["a": "-a---b--|", "b": "--1-2---|"], "-a1-2b--|") { on in .merge(on.a, on.b) },
            Picture("merge(with:)", ["a": "-a---b--|", "b": "--1-2---|"], "-a1-2b--|") { on in on.a.merge(with: on.b) },
            Picture("concat(_:)", ["a": "-a-b|", "b": "--1-|"], "-a-b--1-|") { on in on.a.concat(on.b) },
            Picture("concat(value:)", ["a": "-a-b-|"], "-a-b-(z|)") { on in on.a.concat(value: "z") },
            Picture("prefix(_:)", ["a": "-a-b-|", "b": "--1-|"], "--1--a-b-|") { on in on.a.prefix(on.b) },
            Picture("prefix(value:)", ["a": "-a-b-|"], "za-b-|") { on in on.a.prefix(value: "z") },
            Picture("then(_:)", ["a": "-a-b|", "b": "--1-|"], "------1-|") { on in on.a.then(on.b) },
            Picture(
                "withLatest(from:)",
                ["a": "-a---b-c-|", "other": "--1---2-"],
                "-----x-y-|",
                ["x": "b1", "y": "c2"]
            ) {
                on in
                on.a.withLatest(from: on.other)
            },
            Picture("sample(on:)", ["a": "-a-b---c-|", "trigger": "----x-x-x-|"], "----b-b-c-|") { on in
                on.a.sample(on: on.trigger)
            },
            Picture(
                "sample(with:)",
                ["a": "-a-b---c-|", "trigger": "----1-2-3-|"],
                "----x-y-z-|",
                [
                    "x": "b1", "y": "b2", "z": "c3",
                ]
            ) { on in
                on.a.sample(with: on.trigger)
            },
            Picture("race(_:)", ["a": "---a-b-|", "b": "-1-2-|"], "-1-2-|") { on in .race(on.a, on.b) },
            Picture("negate()", ["p": "-t-f-|"], "-f-t-|") { on in on.p.negate() },
            Picture("and(_:)", ["p": "-t---f-|", "q": "---t---|"], "---t-f-|") { on in on.p.and(on.q) },
            Picture("or(_:)", ["p": "-f---t-|", "q": "---f---|"], "---f-t-|") { on in on.p.or(on.q) },
            Picture("all(_:)", ["p": "-t---f-|", "q": "---t---|"], "---t-f-|") { on in .all([on.p, on.q]) },
            Picture("any(_:)", ["p": "-f---t-|", "q": "---f---|"], "---f-t-|") { on in .any([on.p, on.q]) },
        ] + latest + zipped

    private static let latest = [
        Picture(
            "combineLatest(_:)",
            ["a": "-a---b--|", "b": "---1---2|"],
            "---x-y-z|",
            [
                "x": "[a 1]", "y": "[b 1]", "z": "[b 2]",
            ]
        ) { on in
            Signal.combineLatest([on.a, on.b])
        },
        Picture(
            "combineLatest(_:_:)",
            ["a": "-a---b--|", "b": "---1---2|"],
            "---x-y-z|",
            [
                "x": "a1", "y": "b1", "z": "b2",
            ]
        ) { on in
            Signal.combineLatest(on.a, on.b)
        },
        Picture(
            "combineLatestAll(_:)",
            ["a": "-a---b--|", "n": "---1---2|"],
            "---x-y-z|",
            [
                "x": "a1", "y": "b1", "z": "b2",
            ]
        ) { on in
            Signal.combineLatestAll(on.a, on.n)
        },
        Picture(
            "combineLatest(with:)",
            ["a": "-a---b--|", "b": "---1---2|"],
            "---x-y-z|",
            [
                "x": "a1", "y": "b1", "z": "b2",
            ]
        ) { on in
            on.a.combineLatest(with: on.b)
        },
    ]

    private static let zipped = [
        Picture(
            "zip(_:)",
            ["a": "-ab---c-|", "b": "---1-2-3|"],
            "---x-y-z|",
            [
                "x": "[a 1]", "y": "[b 2]", "z": "[c 3]",
            ]
        ) { on in
            Signal.zip([on.a, on.b])
        },
        Picture(
            "zip(_:_:)",
            ["a": "-ab---c-|", "b": "---1-2-3|"],
            "---x-y-z|",
            [
                "x": "a1", "y": "b2", "z": "c3",
            ]
        ) { on in
            Signal.zip(on.a, on.b)
        },
        Picture(
            "zipAll(_:)",
            ["a": "-ab---c-|", "n": "---1-2-3|"],
            "---x-y-z|",
            [
                "x": "a1", "y": "b2", "z": "c3",
            ]
        ) { on in
            Signal.zipAll(on.a, on.n)
        },
        Picture(
            "zip(with:)",
            ["a": "-ab---c-|", "b": "---1-2-3|"],
            "---x-y-z|",
            [
                "x": "a1", "y": "b2", "z": "c3",
            ]
        ) { on in
            on.a.zip(with: on.b)
        },
    ]
}
