// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// A FIFO queue of work, in blocks of one size. Appending never moves an item. Moving all items to another queue only
/// changes pointers.
///
/// Why `@unchecked Sendable` is right: only the thread that holds the inbox's lock, or the loop's state, accesses a
/// queue. The items are `Sendable`. The queue owns its blocks, and in each block the items from `first` up to `end`.
/// `deinit` releases all of them.
final class WorkQueue: @unchecked Sendable {
    /// The maximum number of empty blocks that a queue keeps: 2 MiB. Without them `malloc` would return the memory to
    /// the kernel, and new pages are expensive. The limit applies separately to the loop's queue and to its inbox. A
    /// turn with little work frees one block, until `fewSpare` blocks are left.
    private static let mostSpare = 1024
    private static let fewSpare = 8

    // Exclusivity need not be checked, because no method of this class calls other code during an access.
    @safe @exclusivity(unchecked) private var head: WorkBlock?
    @safe @exclusivity(unchecked) private var tail: WorkBlock?
    @safe @exclusivity(unchecked) private var spare: WorkBlock?
    @safe @exclusivity(unchecked) private(set) var spareCount = 0
    @safe @exclusivity(unchecked) private(set) var count = 0

    deinit {
        while popFirst() != nil {}
        if let head { head.deallocate() }
        while let block = spare {
            spare = block.next
            block.deallocate()
        }
    }

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    func append(_ item: consuming Inbox.Work) {
        let block = blockForNext()
        block.put(item, block.end)
        block.end += 1
        count += 1
    }

    @inline(__always)
    private func blockForNext() -> WorkBlock {
        guard let tail, tail.end < WorkBlock.capacity else { return newTail() }
        return tail
    }

    @inline(never)
    private func newTail() -> WorkBlock {
        let block: WorkBlock
        if let kept = spare {
            spare = kept.next
            spareCount -= 1
            kept.reset()
            block = kept
        } else {
            block = WorkBlock()
        }
        if let tail { tail.next = block } else { head = block }
        tail = block
        return block
    }

    /// Removes and returns the oldest item.
    @inline(__always)
    func popFirst() -> Inbox.Work? {
        guard let block = head, count > 0 else { return nil }
        let item = block.take(block.first)
        block.first += 1
        count -= 1
        if block.first == block.end { emptied(block) }
        return item
    }

    // The last block stays in the queue, and is reused from its beginning.
    @inline(never)
    private func emptied(_ block: WorkBlock) {
        guard let next = block.next else {
            block.first = 0
            block.end = 0
            return
        }
        head = next
        keep(block)
    }

    private func keep(_ block: WorkBlock) {
        if spareCount == Self.mostSpare { return block.deallocate() }
        block.next = spare
        spare = block
        spareCount += 1
    }

    /// Appends all items of `other` to this queue. If `other` has no spare blocks, moves this queue's spare blocks to
    /// it.
    func takeAll(from other: WorkQueue) {
        if spareCount > Self.fewSpare, other.count < WorkBlock.capacity, let block = spare {
            spare = block.next
            spareCount -= 1
            block.deallocate()
        }
        if other.count > 0 {
            // An empty block must not lie before a full one.
            if count == 0, let block = head {
                head = nil
                tail = nil
                keep(block)
            }
            if let tail { tail.next = other.head } else { head = other.head }
            tail = other.tail
            count += other.count
            other.head = nil
            other.tail = nil
            other.count = 0
        }
        if other.spare == nil {
            swap(&other.spare, &spare)
            swap(&other.spareCount, &spareCount)
        }
    }

    /// Removes disposed work. The rest keeps its order. Disposed work has no closure, so no user code runs here.
    func dropCancelled() {
        for _ in 0..<count {
            guard let item = popFirst() else { return }
            if case .scheduled(let scheduled) = item, scheduled.isDisposed { continue }
            append(item)
        }
    }

    /// Removes and returns all items, oldest first.
    func removeAll() -> [Inbox.Work] {
        var all: [Inbox.Work] = []
        all.reserveCapacity(count)
        while let item = popFirst() { all.append(item) }
        return all
    }
}
