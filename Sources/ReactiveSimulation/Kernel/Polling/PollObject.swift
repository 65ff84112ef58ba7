// SPDX-License-Identifier: MIT
import ReactiveCore

/// The descriptor of a poll set. It is readable while a descriptor of the set is ready (epoll(7)). Only the holder of
/// the network's lock uses it.
final class PollObject: KernelObject {
    private let state: PollState

    init(host: Int, _ state: PollState) {
        self.state = state
        super.init(host: host)
    }

    override var readiness: Readiness { state.isReady() ? .read : [] }
    override var summary: String { "poll set" }

    /// Breaks the cycle with the set when the descriptor is closed.
    func close() { state.descriptor = nil }
}
