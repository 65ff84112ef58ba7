// SPDX-License-Identifier: MIT

import ReactiveSockets

/// A difference between the two kernels that is known and harmless, with its reason.
struct PermittedDifference: Sendable {
    let reason: String
    /// Whether a shrunk program shows this difference.
    let covers: @Sendable (SocketProgram) -> Bool

    static let all: [PermittedDifference] = [
        PermittedDifference(
            reason: "Of sockets with SO_REUSEPORT on one port, a secret number decides which one receives."
        ) { program in
            var sockets: Set<Int> = []
            for case .option(let socket, .reusePort, 1) in program.operations { sockets.insert(socket) }
            return !program.isUnix && sockets.count > 1
        },
        PermittedDifference(reason: "A TCP socket that is shut down before it listens or connects passes the state on.")
        {
            program in
            guard program.kind == .stream, !program.isUnix else { return false }
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
            guard program.kind == .datagram, !program.isUnix else { return false }
            var isConnected: Set<Int> = []
            for case .connect(let socket, let target) in program.operations {
                if case .broadcast = target, isConnected.contains(socket) { return true }
                isConnected.insert(socket)
            }
            return false
        },
    ]
}
