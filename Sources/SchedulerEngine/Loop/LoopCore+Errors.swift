import ReactiveCore

extension LoopCore {
    /// The error for an operation that the loop refuses. The message says what the caller can do.
    func error(_ code: LoopError.Code, _ operation: String) -> LoopError {
        switch code {
        case .alreadyRunning where thread == .owned:
            LoopError(code, "\(operation) on loop \(name): the loop owns a thread that runs it until it is disposed")
        case .alreadyRunning: LoopError(code, "\(operation) on loop \(name): it is running already")
        case .disposed:
            if let failure {
                LoopError(
                    failure.code,
                    errno: failure.errno,
                    "\(operation) on loop \(name): it could not be made: \(failure)"
                )
            } else {
                LoopError(code, "\(operation) on loop \(name): it has been disposed")
            }
        case .notMainThread:
            LoopError(code, "\(operation) on loop \(name): it is the main thread's and was called on another one")
        case .forked:
            LoopError(
                code,
                "\(operation) on loop \(name): it belongs to the parent process; call exec, or make a new loop in the child"
            )
        case .runByHost: LoopError(code, "\(operation) on loop \(name): it is a guest; its host runs it")
        case .wrongThread where thread == .host:
            LoopError(
                code,
                "\(operation) on loop \(name): it is its host's thread's; call this from there, or from the loop's own work (execute)"
            )
        case .wrongThread:
            LoopError(
                code,
                "\(operation) on loop \(name): it runs on another thread; call this from the loop's own work (execute)"
            )
        default: LoopError(code, "\(operation) on loop \(name): \(code)")
        }
    }
}
