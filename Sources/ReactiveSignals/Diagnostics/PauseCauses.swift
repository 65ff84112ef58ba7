// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Finds the subscribers that cause the pauses of a snapshot.
///
/// A pause begins at one subscription and is passed on along links, towards the sources. The search follows the links
/// back. A subscription at which an operator has begun a pause leads to the operator's subscriber: it takes values too
/// slowly, or is paused itself.
struct PauseCauses {
    fileprivate typealias Key = ObjectIdentifier

    fileprivate struct Record {
        let number: Int
        let name: String
        let pauses: OwnPauses
        let isPaused: Bool
        var parent: Key?
        /// The subscriptions that pass their pauses to this one.
        var downstream: [Key] = []
    }

    private var records: [Key: Record] = [:]
    private let now = ContinuousClock.now

    init(_ alive: [(LiveEntries.Entry, SignalSubscription)]) {
        var keys: [Int: Key] = [:]
        for (entry, subscription) in alive {
            keys[entry.number] = Key(subscription)
            records[Key(subscription)] = Record(
                number: entry.number,
                name: entry.name,
                pauses: entry.pauses,
                isPaused: subscription.isPaused,
                // A parent has a smaller number.
                parent: entry.parent.flatMap { keys[$0] }
            )
        }
        for (_, subscription) in alive {
            let links = subscription.ledger.withLock { $0.links }
            for link in links where link.passing == .asItIs || link.passing == .inOrder {
                records[Key(link.subscription)]?.downstream.append(Key(subscription))
            }
        }
    }

    /// The pause of a subscription. `nil` if it is not paused.
    func pause(of subscription: SignalSubscription) -> LiveSnapshot.Pause? {
        let key = Key(subscription)
        guard records[key]?.isPaused == true else { return nil }
        var (pending, seen) = ([key], Set([key]))
        var (subscribers, others) = ([LiveSnapshot.Cause](), [LiveSnapshot.Cause]())
        var since = now
        // A list instead of recursion, so depth costs no stack.
        while let next = pending.popLast() {
            guard let record = records[next] else { continue }
            var further = record.downstream
            if let began = record.pauses.since {
                since = min(since, began)
                if record.pauses.isSubscribers, record.parent == nil {
                    subscribers.append(LiveSnapshot.Cause(subscriber: record.number, reason: .subscriber))
                } else {
                    let reason: LiveSnapshot.Cause.Reason =
                        record.pauses.isQueues ? .queue(record.name) : .limit(record.name)
                    others.append(LiveSnapshot.Cause(subscriber: root(of: next), reason: reason))
                    // A queue passes no pause on. It becomes full if its subscriber is paused.
                    if let parent = record.parent { further.append(parent) }
                }
            }
            pending += further.filter { records[$0]?.isPaused == true && seen.insert($0).inserted }
        }
        let causes = subscribers.isEmpty ? others : subscribers
        return LiveSnapshot.Pause(duration: now - since, causes: causes.sorted { $0.subscriber < $1.subscriber })
    }

    private func root(of key: Key) -> Int {
        var (key, number) = (key, 0)
        while let record = records[key] {
            number = record.number
            guard let parent = record.parent else { break }
            key = parent
        }
        return number
    }
}
