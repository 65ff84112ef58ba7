// SPDX-License-Identifier: MIT

import ReactiveSockets

/// A difference between the two kernels that is known and harmless, with its reason.
struct PermittedDifference: Sendable {
    let reason: String
    /// Whether a shrunk program shows this difference.
    let covers: @Sendable (SocketProgram) -> Bool

    static let all: [PermittedDifference] = [
        PermittedDifference(reason: "A TCP socket that is shut down before it listens or connects passes the state on.")
        {
            program in
            guard program.kind == .stream, program.family != .unix else { return false }
            var isShutDown: Set<Int> = []
            for operation in program.operations {
                switch operation {
                case .shutdown(let socket): isShutDown.insert(socket)
                case .listen(let socket, _) where isShutDown.contains(socket): return true
                case .connect(let socket, _) where isShutDown.contains(socket): return true
                default: break
                }
            }
            return false
        }
    ]
}
