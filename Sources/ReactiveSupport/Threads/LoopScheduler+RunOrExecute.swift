package import ReactiveCore

extension LoopScheduler {
    /// Runs `work` now where the caller is the loop's own work, else as the loop's next.
    package func runOrExecute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { execute(work) }
    }
}
