public import ReactiveCore

extension ChildProcess {
    /// How a child process has ended.
    public enum ExitStatus: Sendable, Hashable, CustomStringConvertible {
        /// By itself, with an exit code of 0...255.
        case exited(Int32)
        /// By a process signal that it did not handle.
        case signalled(ProcessSignal)

        /// Whether it has ended by itself, with 0.
        public var isSuccess: Bool { self == .exited(0) }

        public var description: String {
            switch self {
            case .exited(let code): "exited with \(code)"
            case .signalled(let signal): "ended by \(signal)"
            }
        }
    }
}
