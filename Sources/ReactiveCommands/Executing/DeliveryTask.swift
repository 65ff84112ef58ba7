// SPDX-License-Identifier: MIT
public import Synchronization

/// A job that notifies a command's observers on a scheduler. If the scheduler releases the job without running it, as a
/// disposed one does, the command drops the notices.
@usableFromInline
final class DeliveryTask<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let core: CommandCore<Output, Failure>
    @usableFromInline
    let announced: Int
    @usableFromInline
    let hasRun = Atomic<Bool>(false)

    @inlinable
    init(_ core: CommandCore<Output, Failure>, _ announced: Int = 1) {
        self.core = core
        self.announced = announced
    }

    deinit {
        if !hasRun.load(ordering: .acquiring) { core.forget(announced) }
    }

    @inlinable
    func run(_ body: (CommandCore<Output, Failure>, _ announced: Int) -> Void) {
        hasRun.store(true, ordering: .releasing)
        body(core, announced)
    }
}
