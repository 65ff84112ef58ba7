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

/// When a key expires, and the timer that removes it.
///
/// A client may request more time than a `LoopInstant` can represent. So this stores a duration and its start.
struct Expiry: Sendable {
    let delay: Duration
    let begin: LoopInstant
    /// `nil` if the delay is over 100 years.
    let timer: (any Disposable)?

    func left(at now: LoopInstant) -> Duration { delay - (now - begin) }
}
