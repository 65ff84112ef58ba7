public import ReactiveCore

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
    /// Who subscribes to a group from inside its delivery gets all of it. The groups end with the signal, in the order in which
    /// they came, and then the signal ends; disposing it silences them too. Pausing it pauses all; a group that is paused by
    /// itself has its values kept, as `policy` says. There are as many groups as keys, until the end.
    @inlinable
    public func group<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Value) -> Key,
        whilePaused policy: BufferPolicy = .unbounded
    ) -> Signal<SignalGroup<Key, Value, Failure>, Failure> {
        Signal<SignalGroup<Key, Value, Failure>, Failure>(start: { [start] sink, subscription in
            let groups = Cell([Key: Subject<Value, Failure>]())
            let inOrder = Cell([Subject<Value, Failure>]())
            start(
                RelaySink(
                    { value in
                        let key = key(value)
                        if let group = groups.value[key] { return group.send(value) }
                        let group = Subject<Value, Failure>(whilePaused: policy)
                        groups.value[key] = group
                        inOrder.value.append(group)
                        sink.receive(SignalGroup(key, group.signal))
                        group.send(value)
                    },
                    { termination in
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
