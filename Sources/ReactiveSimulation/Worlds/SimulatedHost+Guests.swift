// SPDX-License-Identifier: MIT
public import ReactiveCore
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
}
