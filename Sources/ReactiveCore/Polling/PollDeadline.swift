/// How long a poller may wait.
public enum PollDeadline: Sendable, Hashable {
    /// Not at all: collect what is ready and return.
    case now
    /// Until an instant of `CLOCK_MONOTONIC`, in nanoseconds. Returning early is legal; later costs punctuality.
    case at(LoopInstant)
    /// For as long as nothing is ready.
    case never
}
