// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// An element of a queue of deadlines: the sort key of an entry, and one reference to the entry.
///
/// Safe: the node owns one reference count of its entry, from its initialization until the queue calls ``release()``,
/// ``take()`` or ``takeReference()`` on a node that it removes. Moving a node does not change the count.
@safe
struct DeadlineNode<Entry: DeadlineQueueEntry> {
    let effective: LoopInstant
    /// The sequence number, shifted left by one. The lowest bit is set if the entry has slack. The deadline of an entry
    /// without slack is `effective`, so comparing two such nodes reads neither entry.
    private let order: UInt64
    private let entry: Unmanaged<Entry>

    /// Creates a node, which takes over the caller's reference count.
    @inline(__always)
    init(_ reference: Unmanaged<Entry>, sequence: UInt64) {
        let (deadline, slack) = unsafe reference._withUnsafeGuaranteedRef { entry in (entry.deadline, entry.slack) }
        effective = slack == 0 ? deadline : deadline.coalesced(slack: slack)
        order = sequence << 1 | (slack == 0 ? 0 : 1)
        unsafe entry = reference
    }

    var sequence: UInt64 { order >> 1 }

    /// Whether the entry is due before the distant future.
    var everFires: Bool { effective.nanoseconds != .max }

    func isOf(_ other: Entry) -> Bool { unsafe entry.toOpaque() == Unmanaged.passUnretained(other).toOpaque() }

    var isCancelled: Bool { look { entry in !entry.isQueued } }

    /// Calls `body` with the entry, without retaining it.
    @inline(__always)
    func look<Result>(_ body: (Entry) -> Result) -> Result {
        unsafe entry._withUnsafeGuaranteedRef { entry in body(entry) }
    }

    /// Releases the entry. The node must not be used afterwards.
    @inline(__always)
    func release() { unsafe entry.release() }

    /// Returns the entry, retained. The node must not be used afterwards.
    @inline(__always)
    func take() -> Entry { unsafe entry.takeRetainedValue() }

    /// Returns the reference. The caller then owns its count. The node must not be used afterwards.
    @inline(__always)
    func takeReference() -> Unmanaged<Entry> { unsafe entry }

    /// Whether this node comes before `other`. The two words of each key are compared as one number, without a branch
    /// that the processor could mispredict.
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

/// An entry of a queue of deadlines.
package protocol DeadlineQueueEntry: AnyObject {
    /// When the entry is due. It must not change while the entry is in a queue.
    var deadline: LoopInstant { get }
    /// How much later than its deadline the entry may fire, in nanoseconds.
    var slack: Int64 { get }
    /// Whether the entry is in a queue and has not been cancelled. Only the queue sets it.
    var isQueued: Bool { get set }
}
