import Glibc
package import ReactiveCore
import ReactiveSupport

/// Timers, ordered by effective deadline, then nominal deadline, then insertion (rules T6, T7).
///
/// A four-ary heap in one piece: a node's children share a cache line or two, and moving a node touches nothing but that.
/// An entry does not know its place. One that is cancelled is marked, and its node stays until it comes to the top or half of
/// the nodes are such; so cancelling costs the same however many there are, and the memory is given back by twice as many
/// cancellations at the latest. The effective deadline is where leeway has moved the timer to; see
/// `LoopInstant.coalesced(slack:)`.
///
/// Why the unmanaged references are right: each node owns one reference, taken when it is made and given back when it leaves
/// the heap, here or in `deinit`. Moving nodes then counts nothing.
package final class DeadlineHeap<Entry: DeadlineHeapEntry> {
    private struct Node {
        var effective: LoopInstant
        /// The sequence number, and in the lowest bit whether the entry has slack: an entry without is due at `effective`, so that
        /// two of them are put in order with no look at either.
        private var order: UInt64
        var entry: Unmanaged<Entry>

        init(_ entry: Entry, sequence: UInt64) {
            let slack = entry.slack
            effective = entry.deadline.coalesced(slack: slack)
            order = sequence << 1 | (slack == 0 ? 0 : 1)
            self.entry = .passRetained(entry)
        }

        var sequence: UInt64 { order >> 1 }

        var isCancelled: Bool { entry._withUnsafeGuaranteedRef { !$0.isInHeap } }

        /// Two words compared as one: which of two timers is first is anybody's guess, so there must be nothing to guess.
        func precedes(_ other: Node) -> Bool {
            if fault(.timersByInsertion) { return sequence < other.sequence }
            if fault(.equalTimersBackwards), effective == other.effective { return sequence > other.sequence }
            if effective == other.effective, (order | other.order) & 1 != 0 { return hasEarlierDeadline(than: other) }
            return key < other.key
        }

        private var key: Int128 { Int128(effective.nanoseconds) << 64 | Int128(order) }

        @inline(never)
        private func hasEarlierDeadline(than other: Node) -> Bool {
            let deadline = entry._withUnsafeGuaranteedRef { $0.deadline }
            let others = other.entry._withUnsafeGuaranteedRef { $0.deadline }
            return deadline != others ? deadline < others : order < other.order
        }
    }

    /// The first is not a cancelled one. An array's uses would be checked for exclusivity, which was half of a cancellation.
    /// It is malloc's memory, so that a large one grows where it is, or takes its pages along: a node may lie anywhere.
    private var nodes = memory(nil, smallest)
    private var capacity = smallest
    private var filled = 0
    private var cancelledCount = 0

    private static var smallest: Int { 16 }

    package init() {}

    deinit {
        for index in 0..<filled { nodes[index].entry.release() }
        free(nodes)
    }

    package var count: Int { filled - cancelledCount }
    package var isEmpty: Bool { filled == 0 }

    /// When the loop has to wake for the first timer; nil where there is none or it never fires.
    package var nextDeadline: LoopInstant? {
        guard filled > 0, nodes[0].effective != .distantFuture else { return nil }
        return nodes[0].effective
    }

    /// Adds an entry, which must not be one that has been taken out by `remove(_:)`.
    package func insert(_ entry: Entry, sequence: UInt64) {
        // Doubling for good would leave a million timers with room for another.
        if filled == capacity { move(to: filled < 4096 ? filled * 2 : filled + filled / 4) }
        entry.isInHeap = true
        (nodes + filled).initialize(to: Node(entry, sequence: sequence))
        filled += 1
        siftUp(filled - 1)
    }

    /// Takes out the first timer if its effective deadline is not after `now`.
    package func popFirst(dueAt now: LoopInstant) -> (entry: Entry, sequence: UInt64)? {
        guard filled > 0 else { return nil }
        let first = nodes[0]
        guard first.effective <= now, first.effective != .distantFuture else { return nil }
        removeTop()
        let entry = first.entry.takeRetainedValue()
        entry.isInHeap = false
        dropCancelledTops()
        return (entry, first.sequence)
    }

    /// Takes out `entry`, if it is here.
    @discardableResult
    package func remove(_ entry: Entry) -> Bool {
        guard entry.isInHeap else { return false }
        entry.isInHeap = false
        cancelledCount += 1
        if nodes[0].isCancelled { dropCancelledTops() }
        if cancelledCount >= 64, cancelledCount * 2 >= filled { dropAllCancelled() }
        return true
    }

    /// Takes out everything, in no order.
    package func removeAll() -> [Entry] {
        // Put in order first: what goes with a reference may ask for this heap.
        let all = (0..<filled).map { nodes[$0].entry.takeRetainedValue() }
        (filled, cancelledCount) = (0, 0)
        move(to: Self.smallest)
        return all.filter { entry in
            defer { entry.isInHeap = false }
            return entry.isInHeap
        }
    }

    // MARK: Taking out

    private func dropCancelledTops() {
        while filled > 0, nodes[0].isCancelled {
            let first = nodes[0]
            removeTop()
            cancelledCount -= 1
            first.entry.release()
        }
    }

    private func dropAllCancelled() {
        cancelledCount = 0
        moveToFront()
        shrinkIfMostlyEmpty()
        guard filled > 1 else { return }
        for index in (0...(filled - 2) / 4).reversed() { siftDown(index) }
    }

    /// Moves the nodes that stay to the front, and gives the others' references back.
    ///
    /// Entries lie anywhere in memory. Looked at in blocks, with nothing to decide in between, many of them are on their way
    /// from there at once; one after the other, each would be waited for. Nothing of an entry's goes with its reference here
    /// but memory: who cancels has let go of the work.
    private func moveToFront() {
        var kept = 0
        var start = 0
        while start < filled {
            let end = min(start + 64, filled)
            var staying: UInt64 = 0
            for index in start..<end {
                let isStaying: UInt64 = nodes[index].isCancelled ? 0 : 1
                staying |= isStaying << UInt64(index - start)
            }
            for index in start..<end {
                if staying & 1 == 0 {
                    nodes[index].entry.release()
                } else {
                    nodes[kept] = nodes[index]
                    kept += 1
                }
                staying >>= 1
            }
            start = end
        }
        filled = kept
    }

    private func removeTop() {
        filled -= 1
        if filled > 0 {
            nodes[0] = nodes[filled]
            siftDown(0)
        }
        shrinkIfMostlyEmpty()
    }

    // A burst of a million timeouts must not keep its memory for good (rule T21).
    private func shrinkIfMostlyEmpty() {
        if capacity > 1024, filled * 8 < capacity { move(to: max(Self.smallest, filled * 2)) }
    }

    private func move(to newCapacity: Int) {
        (nodes, capacity) = (Self.memory(nodes, newCapacity), newCapacity)
    }

    private static func memory(_ old: UnsafeMutablePointer<Node>?, _ capacity: Int) -> UnsafeMutablePointer<Node> {
        guard let memory = realloc(old, capacity * MemoryLayout<Node>.stride) else {
            fatalError("no memory for \(capacity) timers")
        }
        return memory.bindMemory(to: Node.self, capacity: capacity)
    }

    // MARK: Order

    private func siftUp(_ start: Int) {
        let nodes = nodes
        var index = start
        let node = nodes[index]
        while index > 0 {
            let parent = (index - 1) / 4
            guard node.precedes(nodes[parent]) else { break }
            nodes[index] = nodes[parent]
            index = parent
        }
        nodes[index] = node
    }

    /// Which one it is, is calculated: a branch would be guessed wrong every other time.
    @inline(__always)
    private func leastOfFour(_ first: Int) -> Int {
        let left = first &+ (nodes[first &+ 1].precedes(nodes[first]) ? 1 : 0)
        let right = first &+ 2 &+ (nodes[first &+ 3].precedes(nodes[first &+ 2]) ? 1 : 0)
        return left &+ (right &- left) &* (nodes[right].precedes(nodes[left]) ? 1 : 0)
    }

    private func leastOfLast(_ first: Int) -> Int {
        (first..<filled).min { one, other in nodes[one].precedes(nodes[other]) }!
    }

    private func siftDown(_ start: Int) {
        let (nodes, count) = (nodes, filled)
        var index = start
        let node = nodes[index]
        while true {
            let firstChild = index &* 4 &+ 1
            guard firstChild < count else { break }
            let least = firstChild &+ 3 < count ? leastOfFour(firstChild) : leastOfLast(firstChild)
            guard nodes[least].precedes(node) else { break }
            nodes[index] = nodes[least]
            index = least
        }
        nodes[index] = node
    }
}

/// What a heap holds: when it is due, and whether it is in one.
package protocol DeadlineHeapEntry: AnyObject {
    /// When it is due; not to be changed while it is in a heap.
    var deadline: LoopInstant { get }
    /// How much later it may be, in nanoseconds.
    var slack: Int64 { get }
    /// Whether it is in a heap and has not been cancelled; the heap's own.
    var isInHeap: Bool { get set }
}
