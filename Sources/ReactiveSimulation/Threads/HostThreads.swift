// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The threads that code of a host starts and blocks (Decision 0048).
///
/// A world outlives the code of its hosts, so the reference is unowned.
struct HostThreads: SimulatedThreads {
    private unowned let world: World
    private let kernel: HostKernel

    init(of kernel: HostKernel, in world: World) {
        self.world = world
        self.kernel = kernel
    }

    /// The host. nil after the end of the world.
    var host: SimulatedHost? { kernel.owner.withLockAtOnce { owner in owner?.object } }

    var names: [String] { world.strands.names(on: kernel) }

    /// Starts a thread of the host. After the end of its process, `body` is released instead.
    func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        guard let host, host.isRunning else { return }
        host.world.strands.add(.function(body), named: name, on: host)
    }

    func wait(nanoseconds: Int64?, until isDone: @escaping @Sendable () -> Bool) {
        let deadline = nanoseconds.map { world.kernel.now.advanced(byNanoseconds: $0) } ?? .distantFuture
        world.strands.block(in: world, until: deadline, isDone)
    }
}
