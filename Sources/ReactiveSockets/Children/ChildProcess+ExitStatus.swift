// SPDX-License-Identifier: MIT
public import ReactiveCore

extension ChildProcess {
    /// How a child process terminated (waitid(2)).
    public enum ExitStatus: Sendable, Hashable, CustomStringConvertible {
        /// The child exited with a code in 0...255.
        case exited(Int32)
        /// A process signal killed the child.
        case signalled(ProcessSignal)

        /// Whether the child exited with code 0.
        public var isSuccess: Bool { self == .exited(0) }

        /// The status as text: `exited with 0`, `killed by SIGTERM`.
        public var description: String {
            switch self {
            case .exited(let code): "exited with \(code)"
            case .signalled(let signal): "killed by \(signal)"
            }
        }
    }
}
