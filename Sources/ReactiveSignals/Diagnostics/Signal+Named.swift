// SPDX-License-Identifier: MIT
extension Signal {
    /// Names the signal's subscriptions in the ``LiveGraph``, with the location of this call. Changes nothing else.
    ///
    /// If several operators name one subscription, the names are joined, the one closest to the source first. A
    /// subscription that begins while the graph is off has no name.
    @inlinable
    public func named(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> Signal {
        Signal(start: { [start] sink, subscription in
            if LiveGraph.isOn {
                return start(LiveGraph.rename(subscription, name, file, line, counting: sink), subscription)
            }
            start(sink, subscription)
        })
    }
}
