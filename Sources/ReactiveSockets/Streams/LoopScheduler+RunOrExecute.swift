import ReactiveCore

extension LoopScheduler {
    /// Runs `work` now where the caller is the loop's own work, else as the loop's next.
    func runOrExecute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { execute(work) }
    }

    /// Why nothing can be asked of a socket any more, where the loop has been disposed: it would never answer.
    var overError: SocketError? {
        isDisposed ? SocketError(.loop, "the loop \(name) has been disposed, and its sockets with it") : nil
    }
}
