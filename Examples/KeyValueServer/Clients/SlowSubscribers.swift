// SPDX-License-Identifier: MIT

/// The treatment of a subscriber that does not read its messages.
enum SlowSubscribers: String, CaseIterable, Sendable {
    /// The oldest waiting messages are dropped.
    case dropOldest = "drop-oldest"
    /// The subscriber's connection is reset.
    case disconnect
}
