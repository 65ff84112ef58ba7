// SPDX-License-Identifier: MIT
import Glibc

let arguments = Arguments(CommandLine.arguments.dropFirst())
let events = arguments.events

/// The options of the command line.
struct Arguments {
    var isJSON = false
    var rounds = 7
    /// The number of events of a run. A profiler, which is slow, needs fewer.
    var events = 1_000_000
    /// Selects the rows whose name contains this text.
    var only = ""
    /// Selects one library, for a profiler.
    var who: String?
    /// Measures fan-out to 1 ... 10 000 observers instead of the rows.
    var isGrowth = false
    /// Compares four threads that pause their own chains with one thread, instead of the rows.
    var isPauses = false

    static let usage =
        "signal-bench [--json] [--rounds N] [--events N] [--only TEXT] [--who ours|OpenCombine] [--growth] [--pauses]\n"

    init(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--json": isJSON = true
            case "--growth": isGrowth = true
            case "--pauses": isPauses = true
            case "--rounds": rounds = iterator.next().flatMap { Int($0) } ?? 0
            case "--events": events = iterator.next().flatMap { Int($0) } ?? 0
            case "--only": only = iterator.next() ?? ""
            case "--who": who = iterator.next()
            default: Arguments.refuse()
            }
        }
        if rounds < 1 || events < 1 { Arguments.refuse() }
    }

    private static func refuse() -> Never {
        _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(64)
    }
}
