import Glibc
import LoopTestSupport
import Refusals

/// One cell of the exhaustion matrix: `ExhaustionProgram <moment> <resource> <kind>`. Prints `ok` at the end.
///
/// Each try is a forked child of this process, which itself never touches a loop: what a library makes once in a process is
/// made in each try, and one that traps fails by itself.
@main
enum Program {
    static func main() {
        SignalMask.clear()
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let resource = Resource(rawValue: arguments[2]),
            let kind = LoopKind(rawValue: arguments[3]), let moment = moments[arguments[1]]
        else {
            print(
                "usage: ExhaustionProgram \(moments.keys.sorted()) \(Resource.allCases) \(LoopKind.all.map(\.rawValue))"
            )
            exit(64)
        }
        guard refusals_are_possible() else { return print("skipped under a sanitizer\nok") }
        if let failure = moment(resource, kind) {
            print(failure)
            exit(1)
        }
        print("ok")
    }

    static let moments: [String: @Sendable (Resource, LoopKind) -> String?] = [
        "start": atStart,
        "serving": whileServing,
    ]

    /// At start: the n-th call that wants the resource is refused, and all after it, for each n until nothing is refused any more; then
    /// the n-th alone.
    @Sendable
    static func atStart(_ resource: Resource, _ kind: LoopKind) -> String? {
        for count in resource.isLimited ? [Int.max] : [Int.max, 1] {
            var number = 0
            while true {
                let end = ForkedChild { startedWithout(resource, kind, after: number, count: count) }.wait()
                if end == .exited(nothingRefused) { break }
                if end != .exited(0) {
                    return
                        "start without \(resource) on \(kind): call \(number), \(count == 1 ? "it alone" : "and all after it"): \(end)"
                }
                number += 1
            }
            print("\(number) calls")
            // What is in the buffer is printed by the children too.
            fflush(nil)
            if number == 0 { return "nothing wants \(resource) on \(kind)" }
        }
        return nil
    }

    @Sendable
    static func whileServing(_ resource: Resource, _ kind: LoopKind) -> String? {
        for number in [0, 1, 2, 3, 5, 8, 13] {
            let end = ForkedChild { servingWithout(resource, kind, after: number) }.wait()
            if end != .exited(0) { return "serving without \(resource) on \(kind), after \(number) calls: \(end)" }
        }
        return nil
    }
}
