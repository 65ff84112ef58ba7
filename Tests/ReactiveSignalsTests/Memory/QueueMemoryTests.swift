import ReactiveSupport
import Testing

/// The queue that most of what waits stands in.
@Suite struct QueueMemoryTests {
    @Test("What a crowd needed is given back when the crowd has gone", arguments: [1, 700, 60_000])
    func crowds(_ rest: Int) {
        var queue = FIFO<Int>()
        for number in 0..<100_000 { queue.append(number) }
        var taken: [Int] = []
        while queue.count > rest, let next = queue.popFirst() { taken.append(next) }
        // It never was empty, and more came.
        for number in 100_000..<100_500 { queue.append(number) }
        while let next = queue.popFirst() { taken.append(next) }
        #expect(taken == Array(0..<100_500))
        #expect(queue.elements.capacity <= 2048)
    }

    @Test("A small crowd's place is kept for the next")
    func places() {
        var queue = FIFO<Int>()
        for number in 0..<100 { queue.append(number) }
        while queue.popFirst() != nil {}
        #expect(queue.elements.capacity >= 100)
    }
}
