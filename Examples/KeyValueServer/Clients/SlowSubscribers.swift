import ArgumentParser

/// What becomes of a subscriber that does not read what is published.
enum SlowSubscribers: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// It loses the oldest messages that wait for it.
    case dropOldest = "drop-oldest"
    /// Its connection is broken off.
    case disconnect
}
