// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import TracePrograms

/// `traces`, with the options of ``Options/usage``. Runs three parts:
///
/// - Random programs in virtual time on every loop. Fails at the first trace that differs between loops.
/// - Races of several threads on each real loop. Fails at the first callback that runs too late.
/// - Random programs of threads, each in its own process, by default a tenth as many as the programs. With `--forks`
///   they also fork.
@main
enum TraceCommand {
    static func main() throws {
        SignalMask.clear()
        let options = Options(CommandLine.arguments.dropFirst())
        switch options.task {
        case .show: try show(options.seed)
        case .runProcess:
            // Every fourth program runs without pauses, because some races need speed.
            if options.seed % 4 != 0 { setPauses(options.seed) }
            ProcessProgram(seed: options.seed, forks: options.hasForks).run()
        case .check where options.minutes > 0: try goOn(options)
        case .check:
            try compare(options.seed, options.count)
            try race(options.seed, options.races)
            runProcesses(options.seed, options.processes ?? options.count / 10, options)
        }
    }

    /// Runs some programs of each kind, again and again with further seeds, until the time is over.
    private static func goOn(_ options: Options) throws {
        let end = ContinuousClock.now + .seconds(60 * options.minutes)
        var seed = options.seed
        while ContinuousClock.now < end {
            try compare(seed, min(options.count, 100))
            try race(seed, min(options.races, 10))
            runProcesses(seed, min(options.processes ?? options.count, 100), options)
            seed &+= 100
        }
    }

    private static func compare(_ seed: UInt64, _ count: Int) throws {
        let names = TraceLoop.allCases.map(\.rawValue).joined(separator: ", ")
        print("\(count) programs from seed \(seed) on \(names)")
        let found = try Comparison().check(seed: seed, count: count) { number in
            if number % 1000 == 0 {
                print("\(number) the same")
                fflush(nil)
            }
        }
        guard let found else { return print("the trace is the same on every loop") }
        print("seed \(found.seed): \(found.difference)")
        print("\nagain: make traces SEED=\(found.seed) COUNT=1")
        exit(1)
    }

    /// Runs races on every loop. A failure depends on the scheduling of threads, so a seed may not repeat it.
    private static func race(_ seed: UInt64, _ count: Int) throws {
        for kind in LoopKind.all {
            for number in 0..<UInt64(count) {
                let own = seed &+ number
                setPauses(own)
                let failure = try Race.failure(on: kind, seed: own, signal: ProcessSignal(rawValue: 62))
                guard let failure else { continue }
                print("race \(own) on \(kind.rawValue): \(failure)")
                print("\nagain, though not the same each time: make traces COUNT=0 SEED=\(own) RACES=100")
                exit(1)
            }
            print("\(count) races on \(kind.rawValue): no callback came too late")
        }
    }

    /// Several processes run at a time, so that the system interrupts each at points where it would not yield.
    private static func runProcesses(_ seed: UInt64, _ count: Int, _ options: Options) {
        print("\(count) programs of threads\(options.hasForks ? " and forks" : "") from seed \(seed)")
        fflush(nil)
        let (begun, failure) = (Box(0), Box<(seed: UInt64, complaint: String)?>(nil))
        let threads = (0..<options.jobs).map { _ in
            SystemThread.orTrap(name: "runner") {
                while failure.value == nil {
                    let number = begun.increment()
                    if number > count { return }
                    let own = seed &+ UInt64(number - 1)
                    guard let complaint = runProcess(own, options) else { continue }
                    failure.update { failure in failure = failure ?? (own, complaint) }
                }
            }
        }
        for thread in threads { thread.join() }
        guard let failure = failure.value else { return print("all ended as they should") }
        print("seed \(failure.seed): \(failure.complaint)\n")
        print(ProcessProgram(seed: failure.seed, forks: options.hasForks))
        let again = "COUNT=0 RACES=0 PROCESSES=1 REPEAT=1000\(options.hasForks ? " FORKS=1" : "")"
        print("\nagain, though not the same each time, since only the steps and the pauses come from the seed:")
        print("make traces SEED=\(failure.seed) \(again)")
        exit(1)
    }

    private static func runProcess(_ seed: UInt64, _ options: Options) -> String? {
        for _ in 0..<options.repeats {
            let end = OwnProgram.run((options.hasForks ? ["--forks"] : []) + ["--process", "\(seed)"])
            if let complaint = ProcessOutcome.complaint(end) { return complaint }
        }
        return nil
    }

    /// Sets the seed of the pauses that `make traces` builds into the loops. Other builds have none.
    private static func setPauses(_ seed: UInt64) { setenv("INTERLEAVING_SEED", "\(seed)", 1) }

    /// Prints one program and its trace.
    private static func show(_ seed: UInt64) throws {
        var generator = ProgramGenerator(seed: seed)
        let program = generator.program()
        print(program, terminator: "\n\n")
        for entry in try Comparison().trace(of: program, on: .reference).entries { print(entry) }
    }
}
