// SPDX-License-Identifier: MIT
package import ReactiveCore

/// An error that reports a loop's refusal of all calls.
package protocol LoopRefusal: Error {
    /// Creates the error for a loop that refuses all calls for this reason.
    init(refusal: LoopError)
}

extension LoopScheduler {
    /// Why the loop refuses all calls, or nil if it does not: it has been disposed, could not be created (only a main
    /// loop, whose `main` returns a substitute), or belongs to the parent of this forked process.
    ///
    /// Such a loop would never deliver an event.
    package func refusal<Failure: LoopRefusal>(as type: Failure.Type) -> Failure? {
        if !isDisposed { return nil }
        let reason = (self as? any OwnerWatching)?.refusal
        return Failure(refusal: reason ?? .disposed(name))
    }
}

extension LoopError {
    /// The refusal of a disposed loop.
    package static func disposed(_ name: String) -> LoopError {
        LoopError(.disposed, "the loop \(name) has been disposed")
    }
}
