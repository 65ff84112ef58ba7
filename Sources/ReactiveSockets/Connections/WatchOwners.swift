// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// How the watch of a connection refers to it.
enum WatchKind: UInt8 {
    /// The watch retains the connection.
    case retaining
    /// The watch has a weak reference, and does not keep the loop alive.
    case weak
    /// A job of the loop will create a weak watch, unless the connection has a watch by then.
    case scheduled
    /// The loop has refused the weak watch. There is none.
    case refused
}

/// A descriptor that a job of the loop closes after its watch. It is closed in `deinit` if the loop drops the job.
final class ClosingDescriptor {
    private let watch: any DescriptorWatch
    private let socket: SystemSocket
    private var isClosed = false

    init(_ watch: any DescriptorWatch, _ socket: SystemSocket) {
        self.watch = watch
        self.socket = socket
    }

    deinit { close() }

    func close() {
        if isClosed { return }
        isClosed = true
        watch.dispose()
        socket.close()
    }
}

/// The owner of the watch of a connection that has timeouts. It retains the connection.
///
/// A loop retains the owner of a watch whenever it calls the watch. Retaining an object that has weak references is
/// expensive, and timeouts use weak references.
final class TimedOwner: DescriptorOwner {
    private let core: ConnectionCore

    init(_ core: ConnectionCore) { self.core = core }

    func descriptorBecameReady(for readiness: Readiness) { core.descriptorBecameReady(for: readiness) }

    func abandon() { core.abandon() }
}

/// The owner of a watch that only looks for the end of the peer's stream. It does not retain the connection, which is
/// therefore closed with its last reference.
final class WeakOwner: DescriptorOwner {
    private weak var core: ConnectionCore?

    init(_ core: ConnectionCore) { self.core = core }

    func descriptorBecameReady(for readiness: Readiness) { core?.descriptorBecameReady(for: readiness) }

    func abandon() { core?.abandon() }
}
