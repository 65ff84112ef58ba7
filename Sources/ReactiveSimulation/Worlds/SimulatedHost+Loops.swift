// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport
public import SchedulerEngine

extension SimulatedHost {
    /// Creates a loop that is a guest of another loop of this host, as a guest of libuv or of a dispatch queue is.
    ///
    /// Call it in work of `loop`, whose turns then run the guest's turns. The guest follows the rules of
    /// `PollerLoop.init(attachedTo:name:)`. The host retains it until the process ends.
    ///
    /// - Parameters:
    ///   - name: The guest's name in messages.
    ///   - loop: The loop that runs the guest.
    /// - Throws: `systemCall` if the host has no descriptor left; `wrongThread` outside of the work of `loop`.
    public func makeGuest(_ name: String, of loop: SimulatedLoop) throws(LoopError) -> SimulatedLoop {
        try makeGuest(name, of: LoopOnLoop(loop))
    }

    func makeGuest(_ name: String, of host: some LoopHost, isMain: Bool = false) throws(LoopError) -> SimulatedLoop {
        let creation = LoopCreation(host: self, set: kernel.makePollSet {}, isGuest: true)
        let guest = try creation.make { () throws(LoopError) in
            try SimulatedLoop(
                simulatedGuest: "\(self.name)/\(name)",
                of: host,
                isMain: isMain,
                clock: clock,
                system: kernel
            )
        }
        keep(guest: guest)
        return guest
    }

    /// The host whose code runs on this thread.
    package static var current: SimulatedHost? { (SimulatedProcess.current?.threads as? HostThreads)?.host }

    /// Creates a loop that the world does not run: its caller or a simulated thread of its own runs it.
    ///
    /// - Throws: `systemCall` if the host has no descriptor left.
    package func makeLoop(_ name: String, thread: LoopThread) throws(LoopError) -> SimulatedLoop {
        try LoopCreation(host: self, set: kernel.makePollSet {}).make { () throws(LoopError) in
            try SimulatedLoop(simulated: name, thread: thread, clock: clock, system: kernel)
        }
    }
}

/// A loop of a simulated host that runs a guest: it watches the guest's descriptor.
final class LoopOnLoop: LoopHost {
    private let loop: SimulatedLoop
    private let watch = Lock<(any DescriptorWatch)?>(nil)

    init(_ loop: SimulatedLoop) { self.loop = loop }

    var isHere: Bool? { loop.isCurrent }

    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
        let made = try loop.watch(descriptor, for: .read) { _ in turn() }
        watch.withLock { watch in watch = made }
    }

    func detach() { watch.withLock { watch in watch.take() }?.dispose() }
}
