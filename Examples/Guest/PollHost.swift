// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import SchedulerEngine

/// The complete adapter to another library's loop, here a loop on `poll(2)`.
final class PollHost: LoopHost {
    let loop: PollingLoop

    init(_ loop: PollingLoop) { self.loop = loop }

    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
        loop.watch(descriptor, turn)
    }

    func detach() { loop.unwatch() }
}
