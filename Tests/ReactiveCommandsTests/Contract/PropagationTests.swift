// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

private enum Ambient {
    @TaskLocal static var id = 0
}

/// Commands carry task-locals to their work, also if it waits.
@Suite struct PropagationTests {
    /// What the work and the callbacks of an execution have seen, and the call that ends the first execution.
    private final class Site: Sendable {
        let seen = Box<[String]>([])
        let source = Subject<Int, Never>()
        let command: Command<Int, Int, Never>

        init() {
            let (seen, source) = (seen, source)
            command = Command(.queue(limit: 8)) { input in
                let work = "work \(input)"
                seen.update { $0.append("\(work) \(Ambient.id)") }
                return source.signal.take(1).map { value in
                    seen.update { $0.append("operator \(input) \(Ambient.id)") }
                    return value
                }.handleEvents(onDispose: { seen.update { $0.append("teardown \(input) \(Ambient.id)") } })
            }
        }

        func note(_ what: String) { seen.update { $0.append("\(what) \(Ambient.id)") } }

        /// Ends the executions 1 and 2, which see the values 1 and 2.
        func end() {
            Ambient.$id.withValue(9) {
                source.send(0)
                source.send(0)
            }
        }

        static func expected(_ callbacks: [String]) -> [String] {
            (1...2).flatMap { id in
                ["work \(id) \(id)", "operator \(id) \(id)"] + callbacks.map { "\($0) \(id) \(id)" }
                    + ["teardown \(id) \(id)"]
            }
        }
    }

    @Test("apply(_:) below propagating(_:) restores the values, also for an execution that waits")
    func apply() {
        let site = Site()
        for id in 1...2 {
            Ambient.$id.withValue(id) {
                _ = site.command.apply(id).propagating(Ambient.$id).subscribe(
                    onValue: { _ in site.note("value \(id)") },
                    onTermination: { _ in site.note("termination \(id)") }
                )
            }
        }
        site.end()
        #expect(site.seen.value.sorted() == Site.expected(["value", "termination"]).sorted())
    }

    @Test("A command that propagates restores the values in the work of execute(_:)")
    func execute() {
        let site = Site()
        let command = site.command.propagating(Ambient.$id)
        for id in 1...2 { Ambient.$id.withValue(id) { _ = command.execute(id) } }
        site.end()
        #expect(site.seen.value.sorted() == Site.expected([]).sorted())
    }

    @Test("A signal that executes a command for each value restores the values")
    func executeEach() {
        let site = Site()
        let requests = Subject<Int, Never>()
        Ambient.$id.withValue(3) {
            _ = requests.signal.execute(site.command, onError: { _, _ in -1 }).propagating(Ambient.$id)
                .subscribe(onValue: { _ in site.note("reply") })
        }
        Ambient.$id.withValue(9) {
            requests.send(1)
            requests.send(2)
        }
        site.end()
        #expect(site.seen.value.count == 8)
        #expect(site.seen.value.allSatisfy { $0.hasSuffix(" 3") }, "\(site.seen.value)")
    }

    @Test("A command that depends on a state, and a function, propagate too")
    func otherWork() {
        let seen = Box<[Int]>([])
        let state = Property<Int?>(nil)
        let stateful = Command<Int, Int, Never>(unwrapping: ReadOnlyProperty(initial: nil, then: state.signal)) {
            state,
            input in
            seen.update { $0.append(Ambient.id) }
            return .just(state + input)
        }.propagating(Ambient.$id)
        let function = Command<Int, Int, Never>(trying: { input in
            seen.update { $0.append(Ambient.id) }
            return input
        }).propagating(Ambient.$id)
        Ambient.$id.withValue(4) {
            stateful.execute(1)
            state.value = 1
            let replies = Box<[Int]>([])
            stateful.execute(1).subscribe(
                onValue: { value in replies.update { $0.append(value) } },
                onTermination: { _ in }
            )
            function.execute(3).subscribe(
                onValue: { value in replies.update { $0.append(value) } },
                onTermination: { _ in }
            )
            #expect(replies.value == [2, 3])
        }
        #expect(seen.value == [4, 4])
    }
}
