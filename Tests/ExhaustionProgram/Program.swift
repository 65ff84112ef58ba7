// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import Refusals
import SchedulerConformance

/// One cell of the exhaustion matrix: `ExhaustionProgram <moment> <resource> <kind>`. Prints `ok` at the end.
///
/// Each attempt is its own process. Libraries then repeat their one-time initialization in every attempt, and a trap
/// ends only that attempt. Attempts are not forks: in a forked child the Swift runtime keeps the parent's thread
/// number in one of its locks, and two threads that first use a type at the same moment then wait forever.
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
            // `_exit` skips the waiting of a normal exit.
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
    case start, serving, watching
}

struct Cell {
    let moment: Moment
    let resource: Resource
    let kind: LoopKind

    /// Returns a description of the failure, if any.
    func run() -> String? {
        switch moment {
        case .start: start()
        case .serving: serving()
        case .watching: watching()
        }
    }

    /// Returns the exit code of one attempt. The calls from number `after` on are refused, until `count` calls have
    /// been refused.
    func attempt(after: Int, count: Int) -> Int32 {
        switch moment {
        case .start: startedWithout(resource, kind, after: after, count: count)
        case .serving: servingWithout(resource, kind, after: after)
        case .watching: watchingWithout(resource, kind, count: count)
        }
    }

    /// For each n, refuses the n-th call that needs the resource and all later ones, until no call is refused any
    /// more. Then refuses each n-th call alone.
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

    /// Refuses three calls, or all of them.
    private func watching() -> String? {
        for count in [3, Int.max] {
            let end = child(after: 0, count: count)
            if end != .exited(0) { return "watching without \(resource) on \(kind), \(count) refusals: \(end)" }
        }
        return nil
    }

    private func child(after: Int, count: Int) -> ForkedChild.End {
        fflush(nil)
        return OwnProgram.run([moment.rawValue, resource.rawValue, kind.rawValue, "\(after)", "\(count)"])
    }
}
