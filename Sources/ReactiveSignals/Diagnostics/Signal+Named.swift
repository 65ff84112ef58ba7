extension Signal {
    /// Gives its subscriptions a name in the ``LiveGraph``, and the place of this call; changes nothing else.
    @inlinable
    public func named(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> Signal {
        Signal(start: { [start] sink, subscription in
            if LiveGraph.isOn { LiveGraph.rename(subscription, name, file, line) }
            start(sink, subscription)
        })
    }
}
