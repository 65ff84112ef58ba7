// SPDX-License-Identifier: MIT
package import ReactiveCore

/// A real poller on simulated time. It polls without waiting, and reports the descriptors of a batch in the order in
/// which the program created them, after those of the loop itself.
package struct SimulatedPoller<Real: Poller & ~Copyable>: Poller, ~Copyable {
    private var real: Real
    private let time: SimulatedTime
    private var batch: [(token: UInt64, readiness: Readiness)] = []
    /// The registered token of each descriptor.
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
                // While another test of this process starts a program, that program has copies of descriptors that
                // another thread has closed. The kernel reports them until then, although the loop cannot deregister
                // them any more.
                if known.contains(token) { batch.append((token, readiness)) }
            }
            return !batch.isEmpty
        }
        let places = batch.map { event in place(event.token) }
        // Several reports for one descriptor keep their order.
        for index in batch.indices.sorted(by: { (places[$0], $0) < (places[$1], $1) }) {
            ready(batch[index].token, batch[index].readiness)
        }
    }

    private func place(_ token: UInt64) -> Int {
        let isLoopsOwn = token > UInt64.max - 32
        return isLoopsOwn ? -1 : time.place(of: Int32(truncatingIfNeeded: token))
    }
}
