// SPDX-License-Identifier: MIT
/// The instant until which a poller waits.
public enum PollDeadline: Sendable, Hashable {
    /// Does not wait: the poller reports the descriptors that are ready, and returns.
    case now
    /// Waits until an instant of `CLOCK_MONOTONIC`. Returning early is legal. Returning late makes timers late.
    case at(LoopInstant)
    /// Waits until a descriptor is ready.
    case never
}
