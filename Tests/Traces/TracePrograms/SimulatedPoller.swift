package import ReactiveCore

/// A real poller on simulated time: it is asked without waiting, and reports the descriptors of a batch in the order in
/// which the program made them, the loop's own ones first.
package struct SimulatedPoller<Real: Poller & ~Copyable>: Poller, ~Copyable {
    private var real: Real
    private let time: SimulatedTime
    private var batch: [(token: UInt64, readiness: Readiness)] = []
    /// By descriptor, the token that it is registered with.
    private var tokens: [Int32: UInt64] = [:]

    package init() throws(LoopError) {
        guard let time = SimulatedTime.current else {
            preconditionFailure("make the loop with SimulatedTime.current set")
        }
        self.time = time
        real = try Real()
    }

    package var nativeHandle: UnsafeMutableRawPointer? { real.nativeHandle }

    package mutating func register(
        _ descriptor: Int32,
        _ interest: Readiness,
        token: UInt64
    ) throws(LoopError) {
        try real.register(descriptor, interest, token: token)
        tokens[descriptor] = token
    }

    package mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try real.modify(descriptor, interest, token: token)
        tokens[descriptor] = token
    }

    package mutating func deregister(_ descriptor: Int32) {
        real.deregister(descriptor)
        tokens[descriptor] = nil
    }

    package mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        batch.removeAll(keepingCapacity: true)
        try time.wait(until: deadline) { () throws(LoopError) in
            let known = Set(tokens.values)
            try real.wait(until: .now) { token, readiness in
                // A program that somebody else in this process is starting has copies of descriptors that another thread has
                // closed, and for as long the kernel reports them to a loop that cannot deregister them any more.
                if known.contains(token) { batch.append((token, readiness)) }
            }
            return !batch.isEmpty
        }
        let places = batch.map { event in place(event.token) }
        // What is reported of one descriptor stays in the order in which it was reported.
        for index in batch.indices.sorted(by: { (places[$0], $0) < (places[$1], $1) }) {
            ready(batch[index].token, batch[index].readiness)
        }
    }

    private func place(_ token: UInt64) -> Int {
        let isLoopsOwn = token > UInt64.max - 32
        return isLoopsOwn ? -1 : time.place(of: Int32(truncatingIfNeeded: token))
    }
}
