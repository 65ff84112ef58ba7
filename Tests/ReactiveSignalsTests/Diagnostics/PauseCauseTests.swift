// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

extension LiveGraphTests {
    /// The graph covers the whole process, so each test searches for its own subscriptions.
    @Suite(.serialized) struct PauseCauses {
        private let turn = LiveGraphTurn()

        private func whileCounting(_ body: () throws -> Void) rethrows {
            LiveGraph.start()
            LiveGraph.countValues()
            defer { LiveGraph.stop() }
            try body()
        }

        /// The nodes of the tree whose root has this name.
        private func tree(_ name: String) throws -> [LiveSnapshot.Node] {
            let snapshot = LiveGraph.snapshot()
            let root = try #require(snapshot.nodes.first { $0.name.hasSuffix(name) && $0.parent == nil })
            return snapshot.subtree(root.number).nodes
        }

        /// A chain of ten operators, with a queue of four values in the middle.
        private func chain(_ source: Subject<Int, Never>, _ scheduler: TestScheduler) -> Signal<String, Never> {
            source.signal.named("source")
                .map { $0 + 1 }
                .filter { $0 > 0 }
                .scan(0, +)
                .map { $0 * 2 }
                .observe(on: scheduler, limit: 4, whenFull: .pauseSource)
                .map { "\($0)" }
                .filter { !$0.isEmpty }
                .map { $0 + "!" }
                .combineLatest(with: .just(1))
                .map { $0.0 }
                .named("end")
        }

        @Test("A subscriber that pauses a chain of ten operators is named at each input of the chain")
        func pausing() throws {
            try whileCounting {
                let (source, time) = (Subject<Int, Never>(), TestScheduler())
                let subscription = SignalSubscription()
                let line = #line + 1
                chain(source, time).subscribe(in: subscription, onValue: { _ in })
                source.send(1)
                try time.run()
                let open = try tree("end")
                #expect(open.allSatisfy { $0.pause == nil } && open.contains { $0.values == 1 })
                let pause = subscription.pause()
                // The queue fills up, and pauses its input.
                for value in 1...4 { source.send(value) }
                let nodes = try tree("end")
                let root = try #require(nodes.first)
                #expect(root.subscriber?.hasSuffix("PauseCauseTests.swift:\(line)") == true)
                let paused = nodes.filter(\.isPaused)
                #expect(paused.contains { $0.stages.contains { $0.name == "source" } }, "\(nodes)")
                for node in paused {
                    let causes = node.pause?.causes ?? []
                    #expect(causes.map(\.subscriber) == [root.number], "\(node)")
                    #expect(causes.map(\.reason) == [.subscriber], "\(node)")
                    #expect(node.pause.map { $0.duration >= .zero } == true)
                }
                pause.dispose()
                try time.run()
                #expect(try tree("end").allSatisfy { $0.pause == nil && !$0.isPaused })
                subscription.dispose()
            }
        }

        @Test("A subscriber that blocks its thread is named behind the full queue")
        func blocking() throws {
            try whileCounting {
                let (source, time) = (Subject<Int, Never>(), TestScheduler())
                let subscription = chain(source, time).subscribe { _ in }
                // The scheduler runs nothing, as a loop whose thread is blocked.
                for value in 1...4 { source.send(value) }
                let nodes = try tree("end")
                let root = try #require(nodes.first)
                let input = try #require(nodes.first { $0.stages.contains { $0.name == "source" } }, "\(nodes)")
                guard case .queue(let name)? = input.pause?.causes.first?.reason else {
                    Issue.record("\(input)")
                    return
                }
                #expect(name.contains("observe(on:"))
                #expect(input.pause?.causes.map(\.subscriber) == [root.number] && !root.isPaused)
                #expect(root.subscriber?.contains("PauseCauseTests.swift:") == true)
                try time.run()
                #expect(try tree("end").allSatisfy { !$0.isPaused })
                subscription.dispose()
            }
        }

        @Test("Each subscriber that pauses a shared signal is named")
        func shared() throws {
            try whileCounting {
                let source = Subject<Int, Never>()
                let shared = source.signal.named("shared source").share()
                let (one, other) = (SignalSubscription(), SignalSubscription())
                shared.named("one").subscribe(in: one, onValue: { _ in })
                shared.named("other").subscribe(in: other, onValue: { _ in })
                let pauses = [one.pause(), other.pause()]
                let nodes = LiveGraph.snapshot().nodes
                let names = nodes.filter { $0.name.hasSuffix("one") || $0.name.hasSuffix("other") }.map(\.number)
                let input = try #require(nodes.first { $0.name.contains("shared source") })
                #expect(input.isPaused && input.pause?.causes.map(\.subscriber) == names.sorted(), "\(input)")
                pauses[0].dispose()
                let later = try #require(LiveGraph.snapshot().nodes.first { $0.number == input.number })
                #expect(later.pause?.causes.count == 1)
                pauses[1].dispose()
                for subscription in [one, other] { subscription.dispose() }
            }
        }

        @Test("Values are counted for each subscriber and each name, and only if that is on")
        func counting() throws {
            let source = Subject<Int, Never>()
            LiveGraph.start()
            let before = source.signal.named("uncounted").subscribe { _ in }
            #expect(try tree("uncounted").first?.values == nil)
            LiveGraph.stop()
            try whileCounting {
                let received = source.signal.named("in").filter { $0 > 1 }.named("out").subscribe { _ in }
                for value in 1...3 { source.send(value) }
                let node = try #require(try tree("out").first)
                #expect(node.values == 2)
                #expect(node.stages.map(\.name) == ["out", "in"] && node.stages.map(\.values) == [2, 3])
                received.dispose()
            }
            before.dispose()
        }
    }
}
