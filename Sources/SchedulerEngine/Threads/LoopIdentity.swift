// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The identity of a loop: its mark, which makes it the current scheduler of a thread, and its executors.
///
/// Why `@unchecked Sendable` is right: the loop's initializer calls `attach` once, before the loop's thread starts and
/// before other code gets the loop. Safe: the executors are unowned, but a thread that runs a job retains the loop.
@safe
final class LoopIdentity: @unchecked Sendable {
    let mark: CurrentScheduler.Mark
    private(set) var serial: UnownedSerialExecutor!
    private(set) var task: UnownedTaskExecutor!

    /// A main loop lives as long as the process, so it belongs to no leak check.
    init(isMain: Bool) { mark = CurrentScheduler.Mark(in: isMain ? nil : LeakScope.current) }

    func attach(_ loop: some LoopScheduler) {
        mark.attach(loop)
        unsafe serial = loop.asUnownedSerialExecutor()
        unsafe task = loop.asUnownedTaskExecutor()
    }

    func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    }
}
