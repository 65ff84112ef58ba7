// SPDX-License-Identifier: MIT
public import ReactiveCore
public import Synchronization

/// The values of a signal that share one key. See ``Signal/group(by:whilePaused:)``.
public struct SignalGroup<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    /// The key of all values of the group.
    public let key: Key
    /// The group's values. The signal is hot: to receive the first value, subscribe inside the observer that receives
    /// the group.
    public let signal: Signal<Value, Failure>

    @inlinable
    init(_ key: Key, _ signal: Signal<Value, Failure>) {
        self.key = key
        self.signal = signal
    }
}

extension Signal {
    /// Sends one group for each distinct key, when the first value of that key arrives. The group sends the values of
    /// its key.
    ///
    /// To receive all values of a group, subscribe to it inside the observer that receives it. When the signal
    /// terminates, the groups terminate first, in the order of their creation. Until then all groups are kept, so
    /// memory use grows with the number of keys.
    ///
    /// Disposing the subscription before the signal has terminated also stops all groups. After that no group sends a
    /// value or a termination, and values that are buffered for a paused subscriber are dropped
    /// ([law 1](doc:LawsOfSignals)). A later subscriber to a group receives nothing. A disposal after the termination
    /// stops no group: a paused subscriber still receives its buffered values and the termination. In RxSwift, groups
    /// keep the source subscribed until the last of them is disposed.
    ///
    /// Pausing the result pauses this signal, and so all groups. Pausing one group buffers its values.
    ///
    /// - Parameters:
    ///   - key: Returns the key of a value. Called once for each value, on the source's thread.
    ///   - policy: How to buffer values for a paused subscriber of a group.
    @inlinable
    public func group<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Value) -> Key,
        whilePaused policy: BufferPolicy = .unbounded
    ) -> Signal<SignalGroup<Key, Value, Failure>, Failure> {
        Signal<SignalGroup<Key, Value, Failure>, Failure>(start: { sink, subscription in
            let groups = Cell([Key: Subject<Value, Failure>]())
            let inOrder = Cell([Subject<Value, Failure>]())
            let members = GroupMembers(subscription)
            relay(
                in: subscription,
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
            )
        })
    }
}

/// The subscriptions to the groups of one `group(by:)`, or to the windows of one `window`. Disposing the outer
/// subscription disposes them. The termination of the outer signal does not.
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

    /// Records the source's termination: a paused subscriber still receives the values that its group has buffered.
    @inlinable
    func finish() { hasTerminated.isOn.store(true, ordering: .releasing) }

    /// Returns the same signal, but it sends nothing after the outer subscription has been disposed.
    @inlinable
    func limit<Value, Failure>(_ group: Signal<Value, Failure>) -> Signal<Value, Failure> {
        Signal(start: { [inputs, start = group.start] sink, subscription in
            let input = inputs.makeChild("group")
            subscription.onDispose { input.dispose() }
            subscription.passPauses(to: input, .asItIs)
            if !input.isDisposed { start(subscription.restoring(sink), input) }
        })
    }
}
