import ReactiveCore
import ReactiveSupport

/// Work in order, in blocks of one size: adding never moves what is there, and taking everything over is a change of pointers.
///
/// An array that grows copies itself, and freeing large ones makes malloc tidy up: for a flood of a million pieces that was a
/// third of the time. Why `@unchecked Sendable` is right: a queue belongs to the holder of the inbox's lock or of the loop's
/// state, and what goes through it is `Sendable`. The queue owns its blocks, and in each block the pieces from `first` up to
/// `end`; `deinit` gives all of it back.
final class WorkQueue: @unchecked Sendable {
    private enum Kind { case closure, scheduled, job }

    // In generic memory a bare closure would be wrapped once more.
    private struct Closure {
        let work: @Sendable () -> Void
    }

    private struct Block {
        static let capacity = 120
        /// Behind the header lies of what kind each piece is, a byte each, and behind these the pieces, in two words each. As enums they would
        /// take three, and of a flood memory that is used for the first time is a good part.
        static var kinds: Int { MemoryLayout<Block>.size }
        static var pieces: Int { (kinds + capacity + 15) & ~15 }

        var next: UnsafeMutablePointer<Block>?
        var first = 0
        var end = 0

        static func make() -> UnsafeMutablePointer<Block> {
            let bytes = pieces + capacity * MemoryLayout<Closure>.stride
            let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
            (memory + kinds).bindMemory(to: Kind.self, capacity: capacity)
            let block = memory.bindMemory(to: Block.self, capacity: 1)
            block.initialize(to: Block())
            return block
        }

        @inline(__always)
        private static func place(_ block: UnsafeMutablePointer<Block>, _ index: Int) -> UnsafeMutableRawPointer {
            UnsafeMutableRawPointer(block) + pieces + index * MemoryLayout<Closure>.stride
        }

        @inline(__always)
        private static func kind(_ block: UnsafeMutablePointer<Block>, _ index: Int) -> UnsafeMutablePointer<Kind> {
            (UnsafeMutableRawPointer(block) + kinds).assumingMemoryBound(to: Kind.self) + index
        }

        @inline(__always)
        static func put(_ piece: consuming Inbox.Work, in block: UnsafeMutablePointer<Block>, _ index: Int) {
            let (place, kind) = (place(block, index), kind(block, index))
            switch consume piece {
            case .closure(let work):
                kind.initialize(to: .closure)
                place.initializeMemory(as: Closure.self, to: Closure(work: work))
            case .scheduled(let scheduled):
                kind.initialize(to: .scheduled)
                place.initializeMemory(as: ScheduledWork.self, to: scheduled)
            case .job(let job):
                kind.initialize(to: .job)
                place.initializeMemory(as: UnownedJob.self, to: job)
            }
        }

        @inline(__always)
        static func take(from block: UnsafeMutablePointer<Block>, _ index: Int) -> Inbox.Work {
            let place = place(block, index)
            switch kind(block, index).pointee {
            case .closure: return .closure(place.assumingMemoryBound(to: Closure.self).move().work)
            case .scheduled: return .scheduled(place.assumingMemoryBound(to: ScheduledWork.self).move())
            case .job: return .job(place.assumingMemoryBound(to: UnownedJob.self).move())
            }
        }
    }

    /// As many emptied blocks are kept for later, 2 MiB: room for what a thread posts while a processor is its own. What malloc had back it
    /// would give back to the kernel, and new pages are dear. The loop's queue and its inbox's have so many each, at most, and a quiet turn
    /// gives one back, down to `fewSpare`.
    private static let mostSpare = 1024
    private static let fewSpare = 8

    // Exclusivity is not checked: nothing in here calls anybody.
    @exclusivity(unchecked) private var head: UnsafeMutablePointer<Block>?
    @exclusivity(unchecked) private var tail: UnsafeMutablePointer<Block>?
    @exclusivity(unchecked) private var spare: UnsafeMutablePointer<Block>?
    @exclusivity(unchecked) private(set) var spareCount = 0
    @exclusivity(unchecked) private(set) var count = 0

    deinit {
        while popFirst() != nil {}
        if let head { head.deallocate() }
        while let block = spare {
            spare = block.pointee.next
            block.deallocate()
        }
    }

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    func append(_ piece: consuming Inbox.Work) {
        let block = blockForNext()
        Block.put(piece, in: block, block.pointee.end)
        block.pointee.end += 1
        count += 1
    }

    @inline(__always)
    private func blockForNext() -> UnsafeMutablePointer<Block> {
        guard let tail, tail.pointee.end < Block.capacity else { return newTail() }
        return tail
    }

    @inline(never)
    private func newTail() -> UnsafeMutablePointer<Block> {
        let block: UnsafeMutablePointer<Block>
        if let kept = spare {
            spare = kept.pointee.next
            spareCount -= 1
            kept.initialize(to: Block())
            block = kept
        } else {
            block = Block.make()
        }
        if let tail { tail.pointee.next = block } else { head = block }
        tail = block
        return block
    }

    /// Takes out the oldest piece.
    @inline(__always)
    func popFirst() -> Inbox.Work? {
        guard let block = head, count > 0 else { return nil }
        let piece = Block.take(from: block, block.pointee.first)
        block.pointee.first += 1
        count -= 1
        if block.pointee.first == block.pointee.end { emptied(block) }
        return piece
    }

    // The last block stays, and is used again from its beginning.
    @inline(never)
    private func emptied(_ block: UnsafeMutablePointer<Block>) {
        guard let next = block.pointee.next else {
            block.pointee.first = 0
            block.pointee.end = 0
            return
        }
        head = next
        keep(block)
    }

    private func keep(_ block: UnsafeMutablePointer<Block>) {
        if spareCount == Self.mostSpare { return block.deallocate() }
        block.pointee.next = spare
        spare = block
        spareCount += 1
    }

    /// Moves everything that `other` has behind what is here, and this one's spare blocks there.
    func takeAll(from other: WorkQueue) {
        if spareCount > Self.fewSpare, other.count < Block.capacity, let block = spare {
            spare = block.pointee.next
            spareCount -= 1
            block.deallocate()
        }
        if other.count > 0 {
            // Ours is empty, or its last block is: no empty block may lie before a full one.
            if count == 0, let block = head {
                head = nil
                tail = nil
                keep(block)
            }
            if let tail { tail.pointee.next = other.head } else { head = other.head }
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

    /// Removes work that has been disposed, and keeps the order of the rest. Such work holds no closure, so no user code runs here.
    func dropCancelled() {
        for _ in 0..<count {
            guard let piece = popFirst() else { return }
            if case .scheduled(let scheduled) = piece, scheduled.isDisposed { continue }
            append(piece)
        }
    }

    /// Everything, taken out, oldest first.
    func removeAll() -> [Inbox.Work] {
        var all: [Inbox.Work] = []
        all.reserveCapacity(count)
        while let piece = popFirst() { all.append(piece) }
        return all
    }
}
