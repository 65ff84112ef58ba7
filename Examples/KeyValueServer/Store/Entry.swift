// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets

/// A key's value and deadline.
struct Entry: Sendable {
    var value: Bytes
    var expiry: Expiry?

    func isAlive(_ clock: any TimedScheduler) -> Bool {
        guard let expiry else { return true }
        return expiry.left(at: clock.now) > .zero
    }
}

/// The deadline of a key, and the timer that removes the key.
///
/// A client may request a longer time than a `LoopInstant` can represent. So this type stores a duration and its start.
struct Expiry: Sendable {
    let delay: Duration
    let begin: LoopInstant
    /// The timer. It is `nil` if the delay exceeds 100 years.
    let timer: (any Disposable)?

    func left(at now: LoopInstant) -> Duration { delay - (now - begin) }
}
