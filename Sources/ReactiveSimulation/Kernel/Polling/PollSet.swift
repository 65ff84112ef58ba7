// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import ReactiveSupport

/// A level-triggered set of simulated descriptors, like an epoll set. Any thread may call every member.
///
/// A hang-up or an error counts as ready for everything in the interest. A descriptor with an empty interest is never
/// reported. Closing the last descriptor of an object removes the object from all sets.
final class PollSet: Sendable {
    /// A ready descriptor.
    struct Report: Sendable, Hashable {
        let token: UInt64
        let readiness: Readiness
    }

    /// The maximum number of reports of one look, as in `EpollPoller`.
    static let limit = 128

    private let network: SimulatedNetwork
    // Safe: only the holder of the network's lock uses the state.
    private let state: UnsafeTransfer<PollState>

    /// Creates an empty set for the descriptors of one host.
    ///
    /// - Parameter onReady: Called when a registered descriptor becomes ready after ``isReady`` was false or
    ///   ``collect(limit:into:)`` reported nothing. It is called under the network's lock, so it must not call the
    ///   network or any host.
    init(_ network: SimulatedNetwork, host: Int, onReady: @escaping @Sendable () -> Void) {
        self.network = network
        state = UnsafeTransfer(PollState(host: host, onReady: onReady))
    }

    deinit {
        withState { kernel, state in
            if state.descriptor >= 0 { _ = kernel.close(kernel.hosts[state.host], state.descriptor) }
            state.removeAll()
        }
    }

    /// Opens a descriptor of the set itself, which other sets may contain. Destroying the set closes it.
    ///
    /// - Returns: The descriptor, or `-EMFILE`.
    func open() -> Int32 {
        withState { kernel, state in kernel.hosts[state.host].descriptors.open(state) }
    }

    /// Adds a descriptor (`EPOLL_CTL_ADD`).
    ///
    /// - Returns: 0; `EBADF` if the number is not an open descriptor of the host; `EEXIST` if it is in the set; `EPERM` for a
    ///   regular file.
    func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) -> Int32 {
        withState { kernel, state in
            guard let object = kernel.hosts[state.host].descriptors[descriptor] else { return EBADF }
            return state.register(object, descriptor, interest, token)
        }
    }

    /// Changes the interest and the token (`EPOLL_CTL_MOD`).
    ///
    /// - Returns: 0; `EBADF` if the number is not an open descriptor of the host; `ENOENT` if it is not in the set.
    func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) -> Int32 {
        withState { kernel, state in
            guard let object = kernel.hosts[state.host].descriptors[descriptor] else { return EBADF }
            return state.modify(object, descriptor, interest, token)
        }
    }

    /// Removes a descriptor (`EPOLL_CTL_DEL`).
    ///
    /// - Returns: 0, or `ENOENT` if the descriptor is not in the set, for example because it has been closed.
    @discardableResult
    func deregister(_ descriptor: Int32) -> Int32 {
        withState { kernel, state in
            guard let object = kernel.hosts[state.host].descriptors[descriptor] else { return ENOENT }
            return state.deregister(object, descriptor)
        }
    }

    /// Whether a registered descriptor is ready. It takes constant time on average.
    var isReady: Bool { withState { _, state in state.isReady() } }

    /// Appends ready descriptors to `reports`, in an order that the seed decides.
    ///
    /// - Parameter limit: The maximum number of reports.
    func collect(limit: Int = PollSet.limit, into reports: inout [Report]) {
        withState { kernel, state in state.collect(limit: limit, into: &reports, &kernel.random) }
    }

    private func withState<Result: Sendable>(_ body: (inout Kernel, PollState) -> Result) -> Result {
        network.withKernel { kernel in body(&kernel, state.value) }
    }
}
