// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The numbers of simulated descriptors, and the socket calls of the current simulated process.
///
/// Real descriptors are smaller, unless an administrator has raised `fs.nr_open`, whose default is the same number.
/// Even then a real descriptor is used correctly, because no simulated process is current outside of a simulation.
package enum SimulatedDescriptors {
    /// The lowest number of a simulated descriptor.
    package static let first: Int32 = 1 << 20

    /// The calls of the simulated process whose code runs on this thread. nil means the real system.
    package static var system: (any SocketSystem)? {
        guard let process = SimulatedProcess.current else { return nil }
        YieldPoint.pass()
        // Safe: every simulated process is created with this class.
        return unsafe unsafeDowncast(process.sockets, to: SocketCalls.self).system
    }

    /// Renews this thread's read buffer. Otherwise earlier reads would change the chunk sizes, and runs would differ.
    package static func beginOnThisThread() { SlabCache.renewCurrent() }

    /// The value of ``SimulatedProcess/sockets``.
    package final class SocketCalls: Sendable {
        let system: any SocketSystem

        package init(_ system: any SocketSystem) { self.system = system }
    }
}
