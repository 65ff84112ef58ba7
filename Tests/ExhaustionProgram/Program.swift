import Glibc
import LoopTestSupport
import Refusals
import SchedulerConformance

/// One cell of the exhaustion matrix: `ExhaustionProgram <moment> <resource> <kind>`. Prints `ok` at the end.
///
/// Each try is a process of its own: what a library makes once in a process is made in each try, and one that traps fails by
/// itself. A try is not a fork: in a forked child Swift's runtime keeps the parent's thread number in one of its locks, and two
/// threads that use a type for the first time at the same moment then wait for ever.
@main
enum Program {
    static func main() {
        SignalMask.clear()
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let moment = Moment(rawValue: arguments[1]),
            let resource = Resource(rawValue: arguments[2]), let kind = LoopKind(rawValue: arguments[3])
        else {
            print("usage: ExhaustionProgram \(Moment.allCases) \(Resource.allCases) \(LoopKind.all.map(\.rawValue))")
            exit(64)
        }
        guard refusals_are_possible() else { return print("skipped under a sanitizer\nok") }
        let cell = Cell(moment: moment, resource: resource, kind: kind)
        if arguments.count == 6, let after = Int(arguments[4]), let count = Int(arguments[5]) {
            alarm(60)
            let code = cell.attempt(after: after, count: count)
            fflush(nil)
            // Without what a normal exit waits for.
            _exit(code)
        }
        if let failure = cell.run() {
            print(failure)
            exit(1)
        }
        print("ok")
    }
}

enum Moment: String, CaseIterable {
    case start, serving
}

struct Cell {
    let moment: Moment
    let resource: Resource
    let kind: LoopKind

    /// What failed.
    func run() -> String? {
        switch moment {
        case .start: start()
        case .serving: serving()
        }
    }

    /// The exit code of one try, in which the call number `after` is refused, and those after it until `count` of them were.
    func attempt(after: Int, count: Int) -> Int32 {
        switch moment {
        case .start: startedWithout(resource, kind, after: after, count: count)
        case .serving: servingWithout(resource, kind, after: after)
        }
    }

    /// The n-th call that wants the resource is refused, and all after it, for each n until nothing is refused any more; then
    /// the n-th alone.
    private func start() -> String? {
        for count in resource.isLimited ? [Int.max] : [Int.max, 1] {
            var number = 0
            while true {
                let end = child(after: number, count: count)
                if end == .exited(nothingRefused) { break }
                if end != .exited(0) {
                    return
                        "start without \(resource) on \(kind): call \(number), \(count == 1 ? "it alone" : "and all after it"): \(end)"
                }
                number += 1
            }
            print("\(number) calls")
            if number == 0 { return "nothing wants \(resource) on \(kind)" }
        }
        return nil
    }

    private func serving() -> String? {
        for number in [0, 1, 2, 3, 5, 8, 13] {
            let end = child(after: number, count: .max)
            if end != .exited(0) { return "serving without \(resource) on \(kind), after \(number) calls: \(end)" }
        }
        return nil
    }

    private func child(after: Int, count: Int) -> ForkedChild.End {
        fflush(nil)
        return OwnProgram.run([moment.rawValue, resource.rawValue, kind.rawValue, "\(after)", "\(count)"])
    }
}
