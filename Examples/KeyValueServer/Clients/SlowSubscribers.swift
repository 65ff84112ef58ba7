// SPDX-License-Identifier: MIT
import ArgumentParser

/// What happens to a subscriber that does not read its messages.
enum SlowSubscribers: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The oldest waiting messages are dropped.
    case dropOldest = "drop-oldest"
    /// Its connection is reset.
    case disconnect
}
