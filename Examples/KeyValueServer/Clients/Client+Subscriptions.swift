// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import Synchronization

/// The client's subscriptions.
extension Client {
    /// The two kinds of subscription, and their names in replies.
    enum Kind: Sendable {
        case channel, pattern

        var subscribed: Bytes { self == .channel ? "subscribe" : "psubscribe" }
        var unsubscribed: Bytes { self == .channel ? "unsubscribe" : "punsubscribe" }
    }

    var isSubscribed: Bool { subscriptionCount.load(ordering: .relaxed) > 0 }

    /// Subscribes. A second subscription to the same name has no effect. The reply contains the number of
    /// subscriptions.
    func subscribe(_ kind: Kind, to name: Bytes, in channels: Channels) -> Reply {
        let name = name.compacted()
        let isNew = state.withLock { $0[kind][name] == nil }
        if isNew {
            let subscription = channels.subscribe(kind, to: name) { [outbox] message in outbox.send(message) }
            state.withLock { $0.change(kind) { $0[name] = subscription } }
            subscriptionCount.add(1, ordering: .relaxed)
        }
        return .array([.bulk(kind.subscribed), .bulk(name), count])
    }

    func unsubscribe(_ kind: Kind, from name: Bytes) -> Reply {
        if let subscription = state.withLock({ $0.change(kind) { $0.removeValue(forKey: name) } }) {
            subscription.dispose()
            subscriptionCount.subtract(1, ordering: .relaxed)
        }
        return .array([.bulk(kind.unsubscribed), .bulk(name), count])
    }

    /// Cancels all subscriptions of a kind. Returns a reply for each, or one reply without a name if there is none.
    func unsubscribeFromAll(_ kind: Kind) -> [Reply] {
        let names = state.withLock { Array($0[kind].keys) }
        if names.isEmpty { return [.array([.bulk(kind.unsubscribed), .null, count])] }
        return names.map { unsubscribe(kind, from: $0) }
    }

    func unsubscribeFromAll() {
        for kind in [Kind.channel, .pattern] { _ = unsubscribeFromAll(kind) }
    }

    private var count: Reply { .integer(subscriptionCount.load(ordering: .relaxed)) }
}

extension Client.State {
    fileprivate subscript(kind: Client.Kind) -> [Bytes: any Disposable] { kind == .channel ? channels : patterns }

    /// Changes the subscriptions of a kind in place. If each change copied them, n changes would take n² steps.
    fileprivate mutating func change<Result>(
        _ kind: Client.Kind,
        _ body: (inout [Bytes: any Disposable]) -> Result
    ) -> Result {
        kind == .channel ? body(&channels) : body(&patterns)
    }
}
