// SPDX-License-Identifier: MIT
import Dispatch
import SchedulerDispatch

/// A queue that runs its guest without a driver. The run is complete when libdispatch has released the guest.
final class OwnQueue: DrivenHost {
    private let host: DispatchHost

    init(_ host: DispatchHost) { self.host = host }

    func runOnce(waiting: Bool) { preconditionFailure("the queue runs by itself") }

    func runToEnd() { host.released.wait() }

    func close() {}
}
