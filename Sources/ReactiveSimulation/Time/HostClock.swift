// SPDX-License-Identifier: MIT
import ReactiveCore

/// The clock of a simulated host. It may run faster or slower than the world's clock.
struct HostClock: LoopClock {
    let network: SimulatedNetwork
    /// How much faster than the world's clock this clock runs, in parts per million.
    let drift: Int64

    var now: LoopInstant { reading(at: network.now) }

    /// The host's time at an instant of the world.
    func reading(at instant: LoopInstant) -> LoopInstant {
        let time = instant.nanoseconds
        let gained = Int64(Int128(time) * Int128(drift) / 1_000_000)
        return LoopInstant(nanoseconds: time &+ gained)
    }

    /// The first instant of the world at which the host's time is at least `reading`.
    func instant(of reading: LoopInstant) -> LoopInstant {
        if reading.nanoseconds > Self.latest { return .distantFuture }
        let scaled = Int128(reading.nanoseconds) * 1_000_000 / Int128(1_000_000 + drift)
        var instant = LoopInstant(nanoseconds: Int64(clamping: scaled))
        while self.reading(at: instant) < reading { instant.nanoseconds += 1 }
        return instant
    }

    /// Deadlines after this reading count as never: about 146 years.
    private static let latest = Int64.max / 2
}
