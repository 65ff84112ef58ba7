// SPDX-License-Identifier: MIT
import ReactiveSupport
import Testing

/// The queue that stores waiting events and jobs in most components.
@Suite struct QueueMemoryTests {
    @Test("A queue releases its memory after a large peak", arguments: [1, 700, 60_000])
    func crowds(_ rest: Int) {
        var queue = FIFO<Int>()
        for number in 0..<100_000 { queue.append(number) }
        var taken: [Int] = []
        while queue.count > rest, let next = queue.popFirst() { taken.append(next) }
        // The queue never became empty, and more elements were added.
        for number in 100_000..<100_500 { queue.append(number) }
        while let next = queue.popFirst() { taken.append(next) }
        #expect(taken == Array(0..<100_500))
        #expect(queue.elements.capacity <= 2048)
    }

    @Test("A queue keeps its memory after a small peak")
    func places() {
        var queue = FIFO<Int>()
        for number in 0..<100 { queue.append(number) }
        while queue.popFirst() != nil {}
        #expect(queue.elements.capacity >= 100)
    }
}
