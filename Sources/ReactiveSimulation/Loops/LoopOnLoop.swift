// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// A loop of a simulated host that runs a guest: it watches the guest's descriptor.
final class LoopOnLoop: LoopHost {
    private let loop: SimulatedLoop
    private let watch = Lock<(any DescriptorWatch)?>(nil)

    init(_ loop: SimulatedLoop) { self.loop = loop }

    var isHere: Bool? { loop.isCurrent }

    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
        let made = try loop.watch(descriptor, for: .read) { _ in turn() }
        watch.withLock { watch in watch = made }
    }

    func detach() { watch.withLock { watch in watch.take() }?.dispose() }
}
