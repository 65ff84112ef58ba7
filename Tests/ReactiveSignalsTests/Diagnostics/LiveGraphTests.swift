// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

/// One test at a time, because the graph covers the whole process. It also contains the subscriptions of other tests,
/// so each test searches for its own.
@Suite(.serialized) struct LiveGraphTests {
    private let turn = LiveGraphTurn()

    private func whileOn(_ body: () throws -> Void) rethrows {
        LiveGraph.start()
        defer { LiveGraph.stop() }
        try body()
    }

    private func found(_ name: String) -> [LiveSnapshot.Node] {
        LiveGraph.snapshot().nodes.filter { $0.name == name }
    }

    @Test("A subscription is in the graph until it ends")
    func aSubscriptionIsThereUntilItEnds() throws {
        try whileOn {
            let subject = Subject<Int, Never>()
            let line = UInt(#line) + 1
            let subscription = subject.signal.named("leak").subscribe { _ in }
            let node = try #require(found("leak").first)
            #expect(node.file?.hasSuffix("LiveGraphTests.swift") == true)
            #expect(node.line == line)
            #expect(node.parent == nil)
            #expect(LiveGraph.snapshot().description.contains("#\(node.number) leak at \(node.file ?? ""):\(line)"))
            subscription.dispose()
            #expect(found("leak").isEmpty)
            subject.signal.named("leak").subscribe { _ in }
            #expect(found("leak").count == 1)
            subject.complete()
            #expect(found("leak").isEmpty)
        }
    }

    @Test("An unnamed subscription has the source location of its subscriber")
    func withoutANameItIsThePlaceThatSubscribes() {
        whileOn {
            let subject = Subject<Int, Never>()
            let line = UInt(#line) + 1
            let subscription = subject.signal.subscribe { _ in }
            let own = LiveGraph.snapshot().nodes.first { node in
                node.line == line && node.file?.hasSuffix("LiveGraphTests.swift") == true
            }
            #expect(own?.name == "subscription")
            subscription.dispose()
        }
    }

    @Test("The inputs of an operator are its children in the graph")
    func anOperatorsInputsHangOnIt() throws {
        try whileOn {
            let (first, second) = (Subject<Int, Never>(), Subject<Int, Never>())
            let subscription = first.signal.combineLatest(with: second.signal.named("right")).named("both")
                .subscribe { _ in }
            let root = try #require(found("both").first)
            let tree = LiveGraph.snapshot().subtree(root.number)
            #expect(tree.nodes.contains { $0.name.hasPrefix("combineLatest") && $0.parent == root.number })
            #expect(tree.nodes.contains { $0.name.hasPrefix("right") })
            #expect(tree.nodes.count >= 4)
            let graph = tree.graphviz
            #expect(graph.hasPrefix("digraph signals {"))
            for node in tree.nodes.dropFirst() {
                #expect(graph.contains("n\(node.number) -> n\(try #require(node.parent))"))
            }
            // The end of one input removes one node, before the whole subscription has ended.
            first.send(1)
            second.send(1)
            second.complete()
            #expect(LiveGraph.snapshot().subtree(root.number).nodes.count == tree.nodes.count - 1)
            subscription.dispose()
            #expect(LiveGraph.snapshot().subtree(root.number).nodes.isEmpty)
        }
    }

    @Test("The graph reports waiting values and pauses")
    func whatWaitsAndWhatIsHeldIsTold() throws {
        try whileOn {
            let time = TestScheduler()
            let subject = Subject<Int, Never>()
            let subscription = SignalSubscription()
            subject.signal.observe(on: time).named("hop").subscribe(in: subscription, onValue: { _ in })
            for value in 1...3 { subject.send(value) }
            let root = try #require(found("hop").first)
            #expect(LiveGraph.snapshot().subtree(root.number).waiting == 3)
            try time.run()
            #expect(LiveGraph.snapshot().subtree(root.number).waiting == 0)
            let hold = subscription.pause()
            #expect(found("hop").first?.isPaused == true)
            #expect(found("hop").first?.description.hasSuffix(", paused") == true)
            hold.dispose()
            #expect(found("hop").first?.isPaused == false)
            subscription.dispose()
        }
    }

    @Test("The graph retains nothing and forgets released nodes")
    func nothingIsKeptAliveAndWhatHasGoneIsForgotten() {
        whileOn {
            weak var witness: Witness?
            do {
                let strong = Witness()
                witness = strong
                Subject<Int, Never>().signal.named("gone").subscribe { _ in strong.touch() }
            }
            #expect(witness == nil)
            #expect(found("gone").isEmpty)
            let subject = Subject<Int, Never>()
            for _ in 0..<5000 { subject.signal.named("many").subscribe { _ in }.dispose() }
            #expect(found("many").isEmpty)
        }
    }

    @Test("Subscriptions that began while the graph was off are not in it")
    func whatBeganWhileItWasOffIsNotInIt() {
        let subject = Subject<Int, Never>()
        let subscription = subject.signal.named("early").subscribe { _ in }
        whileOn { #expect(found("early").isEmpty) }
        subscription.dispose()
        subject.signal.named("late").subscribe { _ in }
        #expect(found("late").isEmpty)
    }

    @Test("A leak check finds its subscriptions, whether the graph is on, off or switched", arguments: [false, true])
    func aLeakCheckIsIndependentOfTheGraph(_ isOn: Bool) {
        let subject = Subject<Int, Never>()
        if isOn { LiveGraph.start() }
        defer { LiveGraph.stop() }
        subject.signal.named("before").subscribe { _ in }
        var wasOn: [Bool] = []
        let error = #expect(throws: LeakError.self) {
            try withLeakCheck(for: .subscriptions, within: .zero) {
                wasOn.append(LiveGraph.isOn)
                subject.signal.named("first").subscribe { _ in }
                LiveGraph.start()
                subject.signal.named("second").subscribe { _ in }
                LiveGraph.stop()
                wasOn.append(LiveGraph.isOn)
                subject.signal.named("third").subscribe { _ in }
                if isOn { LiveGraph.start() }
            }
        }
        let names = error?.leaks.map { leak -> String in
            if case .subscription(let node) = leak { node.name } else { "" }
        }
        #expect(names == ["first", "second", "third"])
        #expect(wasOn == [true, true])
        // The check leaves nothing in the graph that the graph has not recorded itself.
        for name in ["first", "second", "third"] { #expect(found(name).isEmpty) }
        subject.signal.named("after").subscribe { _ in }
        #expect(found("after").count == (isOn ? 1 : 0))
        subject.complete()
    }

    @Test("Eight threads may change and read the graph at the same time")
    func eightThreadsAtOnce() {
        whileOn {
            let subject = Subject<Int, TestError>()
            onThreads(8) { thread in
                for _ in 0..<200 {
                    let subscription = subject.signal.flatMap { .just($0) }.named("thread \(thread)").subscribe(
                        onValue: { _ in },
                        onTermination: neverFails()
                    )
                    _ = LiveGraph.snapshot().counts
                    subscription.dispose()
                }
            }
            for thread in 0..<8 { #expect(found("thread \(thread)").isEmpty) }
        }
    }
}
