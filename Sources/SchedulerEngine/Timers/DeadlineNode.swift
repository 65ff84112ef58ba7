package import ReactiveCore
import ReactiveSupport

/// One entry's place among deadlines: what it is put in order by, and one reference to it.
///
/// Safe: the node owns one count of its entry, from its initialization until the queue calls ``release()`` or ``take()`` on the node
/// that leaves it. Moving nodes then counts nothing.
@safe
struct DeadlineNode<Entry: DeadlineQueueEntry> {
    let effective: LoopInstant
    /// The sequence number, and in the lowest bit whether the entry has slack: an entry without is due at `effective`, so that
    /// two of them are put in order with no look at either.
    private let order: UInt64
    private let entry: Unmanaged<Entry>

    /// Of an entry by a reference that the caller owns, and the node from now on.
    @inline(__always)
    init(_ reference: Unmanaged<Entry>, sequence: UInt64) {
        let (deadline, slack) = unsafe reference._withUnsafeGuaranteedRef { entry in (entry.deadline, entry.slack) }
        effective = slack == 0 ? deadline : deadline.coalesced(slack: slack)
        order = sequence << 1 | (slack == 0 ? 0 : 1)
        unsafe entry = reference
    }

    var sequence: UInt64 { order >> 1 }

    /// Whether it is ever due: whether it is before the distant future.
    var comes: Bool { effective.nanoseconds != .max }

    func isOf(_ other: Entry) -> Bool { unsafe entry.toOpaque() == Unmanaged.passUnretained(other).toOpaque() }

    var isCancelled: Bool { look { entry in !entry.isQueued } }

    /// Calls `body` with the entry, which is not retained for the call.
    @inline(__always)
    func look<Result>(_ body: (Entry) -> Result) -> Result {
        unsafe entry._withUnsafeGuaranteedRef { entry in body(entry) }
    }

    /// Gives the count of the entry back. The node must not be used after that.
    @inline(__always)
    func release() { unsafe entry.release() }

    /// Hands the entry to the caller. The node must not be used after that.
    @inline(__always)
    func take() -> Entry { unsafe entry.takeRetainedValue() }

    /// The entry with its count, which the caller owns. The node must not be used after that.
    @inline(__always)
    func takeReference() -> Unmanaged<Entry> { unsafe entry }

    /// Two words compared as one: which of two timers is first is anybody's guess, so there must be nothing to guess.
    @inline(__always)
    func precedes(_ other: DeadlineNode) -> Bool {
        if effective == other.effective, (order | other.order) & 1 != 0 { return hasEarlierDeadline(than: other) }
        return key < other.key
    }

    private var key: Int128 { Int128(effective.nanoseconds) << 64 | Int128(order) }

    @inline(never)
    private func hasEarlierDeadline(than other: DeadlineNode) -> Bool {
        let deadline = look { entry in entry.deadline }
        let others = other.look { entry in entry.deadline }
        return deadline != others ? deadline < others : order < other.order
    }
}

/// What a queue of deadlines holds: when it is due, and whether it is in one.
package protocol DeadlineQueueEntry: AnyObject {
    /// When it is due; not to be changed while it is in a queue.
    var deadline: LoopInstant { get }
    /// How much later it may be, in nanoseconds.
    var slack: Int64 { get }
    /// Whether it is in a queue and has not been cancelled; the queue's own.
    var isQueued: Bool { get set }
}
