// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import Synchronization

/// The client's address, name and description.
extension Client {
    /// The client's address, in Redis' format.
    var address: String {
        guard let remote = connection.remoteAddress, remote.family != .unix else {
            return "unix:\(connection.localAddress?.path ?? "")"
        }
        return remote.description
    }

    var isMonitor: Bool { state.withLock { $0.monitoring != nil } }

    var name: Bytes { state.withLock { $0.name } }

    /// Sets the client's name. An empty name removes it.
    ///
    /// - Throws: The error of Redis if a byte is a space, a control character or not ASCII.
    func setName(_ name: Bytes) throws(CommandFailure) {
        guard name.allSatisfy({ (33...126).contains($0) }) else {
            throw CommandFailure("ERR Client names cannot contain spaces, newlines or special characters.")
        }
        state.withLock { $0.name = name.compacted() }
    }

    func monitor(_ monitors: Monitors) {
        let subscription = monitors.add(self)
        state.withLock { $0.monitoring = subscription }
    }

    /// Removes the name, the subscriptions and the monitor, as `RESET` requires.
    func reset() {
        unsubscribeFromAll()
        let monitoring = state.withLock { state in
            state.name = Bytes()
            return state.monitoring.take()
        }
        monitoring?.dispose()
    }

    /// The client's line in `CLIENT LIST`.
    var description: String {
        let (name, channels, patterns) = state.withLock { ($0.name, $0.channels.count, $0.patterns.count) }
        let flags = isMonitor ? "O" : channels + patterns > 0 ? "P" : "N"
        let local = connection.localAddress.map { $0.path ?? $0.description } ?? ""
        return
            "id=\(id) addr=\(address) laddr=\(local) name=\(name) flags=\(flags) db=0 sub=\(channels) psub=\(patterns) resp=2"
    }
}
