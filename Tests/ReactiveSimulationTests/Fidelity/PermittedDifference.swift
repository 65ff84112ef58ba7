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
        },
        PermittedDifference(
            reason: """
                If a connected UDP socket fails to connect to a broadcast address, Linux sends its later datagrams there, \
                except for the first one.
                """
        ) { program in
            guard program.kind == .datagram, program.family != .unix else { return false }
            var isConnected: Set<Int> = []
            for case .connect(let socket, let target) in program.operations {
                if case .broadcast = target, isConnected.contains(socket) { return true }
                isConnected.insert(socket)
            }
            return false
        },
    ]
}
