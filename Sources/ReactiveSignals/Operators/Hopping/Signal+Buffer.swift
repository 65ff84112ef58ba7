// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Lets the source continue during a pause, and buffers up to `limit` values.
    ///
    /// When the buffer is full, `policy` applies. `.pauseSource` pauses the source when `limit` values wait, and
    /// resumes it when at most half of them are left. The other policies never pause the source. Without a pause,
    /// values pass unchanged. A limit below one counts as one.
    ///
    /// A termination waits behind the buffered values ([law 11](doc:LawsOfSignals)), but the source is released
    /// immediately. After a resume, values are delivered on the thread that resumes.
    @inlinable
    public func buffer(_ limit: Int, whenFull policy: OverflowPolicy = .pauseSource) -> Signal {
        let limit = max(1, limit)
        return Signal(start: { sink, subscription in
            switch policy {
            case .pauseSource:
                let input = subscription.makeChild(passing: .kindOnly)
                let backPressure = BackPressure(input, limit, .byQueue)
                let counted = RelaySink<Value, Failure>(
                    {
                        backPressure.taken()
                        sink.receive($0)
                    },
                    { sink.receive(termination: $0) }
                )
                let junction = Junction(counted, subscription, inputs: input)
                relay(
                    in: input,
                    {
                        backPressure.arrived()
                        junction.receive($0)
                    },
                    { junction.receive(termination: $0) }
                )
            case .dropOldest, .dropNewest:
                let input = subscription.makeChild(passing: .nothing)
                let junction = Junction(
                    sink,
                    subscription,
                    inputs: input,
                    policy == .dropOldest ? .dropOldest(limit) : .dropNewest(limit)
                )
                relay(in: input, { junction.receive($0) }, { junction.receive(termination: $0) })
            }
        })
    }
}
