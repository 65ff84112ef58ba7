import Glibc
import ReactiveCore
import SchedulerEngine

/// The whole adapter to another library's loop: here one of `poll(2)`, as somebody else has it.
final class PollHost: LoopHost {
    let loop: PollingLoop

    init(_ loop: PollingLoop) { self.loop = loop }

    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
        loop.watch(descriptor, turn)
    }

    func detach() { loop.unwatch() }
}
