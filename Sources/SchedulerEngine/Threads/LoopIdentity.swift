import ReactiveCore
import ReactiveSupport

/// Who a loop is to the outside: its mark in the thread's slot, and what its jobs are run as.
///
/// Why `@unchecked Sendable` is right: `attach` is called once, at the end of the loop's initialiser, before its thread
/// starts or anybody else has seen it. Safe: the executors are unowned, and a thread that runs a job retains the loop.
@safe
final class LoopIdentity: @unchecked Sendable {
    let mark = CurrentScheduler.Mark()
    private(set) var serial: UnownedSerialExecutor!
    private(set) var task: UnownedTaskExecutor!

    func attach(_ loop: some LoopScheduler) {
        mark.attach(loop)
        unsafe serial = loop.asUnownedSerialExecutor()
        unsafe task = loop.asUnownedTaskExecutor()
    }

    func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    }
}
