import Glibc

let arguments = Arguments(CommandLine.arguments.dropFirst())
let events = arguments.events

/// What the command line asks for.
struct Arguments {
    var isJSON = false
    var rounds = 7
    /// How many a run has; for a profiler, which is slow.
    var events = 1_000_000
    /// Rows whose name contains this.
    var only = ""
    /// One side, for a profiler.
    var who: String?
    /// Fan-out to 1 ... 10 000 observers, in place of the rest.
    var isGrowth = false

    static let usage =
        "signal-bench [--json] [--rounds N] [--events N] [--only TEXT] [--who ours|OpenCombine] [--growth]\n"

    init(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--json": isJSON = true
            case "--growth": isGrowth = true
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
