public import ReactiveCore
public import Synchronization

/// The values of a signal that have one key; see ``Signal/group(by:whilePaused:)``.
public struct SignalGroup<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    /// What they have in common.
    public let key: Key
    /// The values, from the first one on for who subscribes when the group comes; hot after that.
    public let signal: Signal<Value, Failure>

    @inlinable
    init(_ key: Key, _ signal: Signal<Value, Failure>) {
        self.key = key
        self.signal = signal
    }
}

extension Signal {
    /// Sends a group for each key that `key` gives, when its first value comes; the group sends the values of that key.
    ///
    /// Subscribing to a group inside the observer that receives it delivers all of the group's values. When the signal
    /// terminates, the groups terminate first, in the order in which they came. There are as many groups as keys, until then.
    ///
    /// Disposing the subscription also disposes the groups' inputs: no group sends a value or a termination after that, not even
    /// values that a paused subscriber has not received (law 1). A group that is subscribed to later never sends. In RxSwift, groups
    /// keep the source subscribed until the last of them is disposed.
    ///
    /// Pausing the signal pauses the source, and so all groups. A group that is paused by itself keeps its values, as `policy` says.
    @inlinable
    public func group<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Value) -> Key,
        whilePaused policy: BufferPolicy = .unbounded
    ) -> Signal<SignalGroup<Key, Value, Failure>, Failure> {
        Signal<SignalGroup<Key, Value, Failure>, Failure>(start: { [start] sink, subscription in
            let groups = Cell([Key: Subject<Value, Failure>]())
            let inOrder = Cell([Subject<Value, Failure>]())
            let members = GroupMembers(subscription)
            start(
                RelaySink(
                    { value in
                        let key = key(value)
                        if let group = groups.value[key] { return group.send(value) }
                        let group = Subject<Value, Failure>(whilePaused: policy)
                        groups.value[key] = group
                        inOrder.value.append(group)
                        sink.receive(SignalGroup(key, members.limit(group.signal)))
                        group.send(value)
                    },
                    { termination in
                        members.finish()
                        let all = inOrder.value
                        groups.value = [:]
                        inOrder.value = []
                        for group in all { group.send(termination: termination) }
                        sink.receive(termination: termination)
                    }
                ),
                subscription
            )
        })
    }
}

/// The subscriptions to the groups of one `group(by:)`, which end when its own is disposed, and go on when it has terminated.
@usableFromInline
final class GroupMembers: Sendable {
    @usableFromInline
    let inputs = SignalSubscription()
    @usableFromInline
    let hasTerminated = Switch()

    @inlinable
    init(_ subscription: SignalSubscription) {
        let (inputs, hasTerminated) = (inputs, hasTerminated)
        subscription.onDispose {
            if !hasTerminated.isOn.load(ordering: .acquiring) { inputs.dispose() }
        }
    }

    /// The source has terminated: a paused subscriber still gets what its group has kept.
    @inlinable
    func finish() { hasTerminated.isOn.store(true, ordering: .releasing) }

    /// The same signal, which sends nothing once the subscription has been disposed.
    @inlinable
    func limit<Value, Failure>(_ group: Signal<Value, Failure>) -> Signal<Value, Failure> {
        Signal(start: { [inputs, start = group.start] sink, subscription in
            let input = inputs.makeChild("group")
            subscription.onDispose { input.dispose() }
            subscription.hold(input, passing: .asItIs)
            if !input.isDisposed { start(sink, input) }
        })
    }
}
