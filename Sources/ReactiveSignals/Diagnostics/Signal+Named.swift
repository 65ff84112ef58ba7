extension Signal {
    /// Names the signal's subscriptions in the ``LiveGraph``, with the location of this call. Changes nothing else.
    @inlinable
    public func named(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> Signal {
        Signal(start: { [start] sink, subscription in
            if LiveGraph.isOn { LiveGraph.rename(subscription, name, file, line) }
            start(sink, subscription)
        })
    }
}
