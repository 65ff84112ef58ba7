// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSupport
import SchedulerConformance
import Testing

/// All threads receive the same object, which is released with the reference.
@Suite struct LazyReferenceTests {
    private final class Thing: Sendable {}

    private final class Owner: Sendable {
        let reference = LazyReference<Thing>()

        var object: Thing? { reference.object }

        func store(_ new: Thing) -> Thing { reference.object(orStoring: new) }
    }

    @Test("Threads that store at the same time all receive the same object")
    func allGetTheSameThoughTheyStoreAtOnce() throws {
        for _ in 0..<Platform.rounds(200) {
            let owner = Owner()
            #expect(owner.object == nil)
            let threads = (0..<3).map { _ in
                let found = Box<Thing?>(nil)
                let thread = TestThread {
                    found.value = owner.object ?? owner.store(Thing())
                }
                return (thread, found)
            }
            for (thread, _) in threads { try thread.join() }
            let object = try #require(owner.object)
            #expect(threads.allSatisfy { $0.1.value === object })
        }
    }

    @Test("The stored object is released with the reference")
    func whatIsStoredGoesWithTheReference() {
        weak var first: Thing?
        weak var second: Thing?
        do {
            let owner = Owner()
            do {
                let (one, two) = (Thing(), Thing())
                (first, second) = (one, two)
                #expect(owner.store(one) === one)
                #expect(owner.store(two) === one)
            }
            #expect(first != nil && second == nil)
        }
        #expect(first == nil)
    }
}
