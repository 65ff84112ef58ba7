// SPDX-License-Identifier: MIT
import ReactiveCore

extension LoopCore {
    /// Returns the error for an operation that the loop refuses. The message states the reason and a remedy.
    func error(_ code: LoopError.Code, _ operation: String) -> LoopError {
        let failed = "\(operation) on loop \(name) failed"
        return switch code {
        case .alreadyRunning where thread == .owned:
            LoopError(code, "\(failed): the loop owns a thread that runs it; submit work to it, or dispose it")
        case .alreadyRunning: LoopError(code, "\(failed): the loop is already running")
        case .disposed:
            if let failure {
                LoopError(failure.code, errno: failure.errno, "\(failed): the loop could not be created: \(failure)")
            } else {
                LoopError(code, "\(failed): the loop has been disposed")
            }
        case .notMainThread: LoopError(code, "\(failed): the loop belongs to the main thread; call this there")
        case .forked:
            LoopError(
                code,
                "\(failed): the loop belongs to the parent process; call exec, or create a loop in the child"
            )
        case .runByHost: LoopError(code, "\(failed): the loop is a guest, so only its host runs it")
        case .wrongThread where thread == .host:
            LoopError(code, "\(failed): the loop belongs to its host's thread; call this there, or in work (execute)")
        case .wrongThread: LoopError(code, "\(failed): the loop runs on another thread; call this in work (execute)")
        default: LoopError(code, "\(failed): \(code)")
        }
    }
}
