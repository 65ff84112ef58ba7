// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveSignals
import ReactiveTesting

extension Picture {
    /// How each command strategy handles the same kind of requests. `!` marks the end of a rejected or cancelled
    /// execution.
    package static let strategies = [
        Picture(
            "Command(.serial)",
            ["requests": "-ab---c-|", "work": "1--2|"],
            "-wx-y-z--v|",
            [
                "w": "a1", "x": "b!", "y": "a2", "z": "c1", "v": "c2",
            ]
        ) { on in
            let command = Command<String, String, Trouble>(.serial) { letter in on.work.map { letter + $0 } }
            return on.requests.flatMap { letter in
                command.apply(letter).flatMapError { _ in Signal(just: letter + "!") }
            }
        },
        Picture(
            "Command(.concurrent(limit:))",
            ["requests": "-abc--d-|", "work": "1--2|"],
            "-tuvwxy--z|",
            [
                "t": "a1", "u": "b1", "v": "c!", "w": "a2", "x": "b2", "y": "d1", "z": "d2",
            ]
        ) { on in
            let command = Command<String, String, Trouble>(.concurrent(limit: 2)) { letter in
                on.work.map { letter + $0 }
            }
            return on.requests.flatMap { letter in
                command.apply(letter).flatMapError { _ in Signal(just: letter + "!") }
            }
        },
        Picture(
            "Command(.queue(limit:))",
            ["requests": "-abc----|", "work": "1--2|"],
            "-v-wxy--z|",
            [
                "v": "a1", "w": "c!", "x": "a2", "y": "b1", "z": "b2",
            ]
        ) { on in
            let command = Command<String, String, Trouble>(.queue(limit: 1)) { letter in on.work.map { letter + $0 } }
            return on.requests.flatMap { letter in
                command.apply(letter).flatMapError { _ in Signal(just: letter + "!") }
            }
        },
        Picture(
            "Command(.queue(limit:whenFull:))",
            ["requests": "-abc----|", "work": "1--2|"],
            "-v-wxy--z|",
            [
                "v": "a1", "w": "b!", "x": "a2", "y": "c1", "z": "c2",
            ]
        ) { on in
            let command = Command<String, String, Trouble>(.queue(limit: 1, whenFull: .dropOldest)) { letter in
                on.work.map { letter + $0 }
            }
            return on.requests.flatMap { letter in
                command.apply(letter).flatMapError { _ in Signal(just: letter + "!") }
            }
        },
        Picture(
            "Command(.latest)",
            ["requests": "-a-b----|", "work": "1--2|"],
            "-w-(xy)--z-|",
            [
                "w": "a1", "x": "a!", "y": "b1", "z": "b2",
            ]
        ) { on in
            let command = Command<String, String, Trouble>(.latest) { letter in on.work.map { letter + $0 } }
            return on.requests.flatMap { letter in
                command.apply(letter).flatMapError { _ in Signal(just: letter + "!") }
            }
        },
    ]
}
