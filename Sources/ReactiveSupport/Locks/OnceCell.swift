// SPDX-License-Identifier: MIT
import Synchronization

/// A value that the first caller takes, on any thread.
///
/// `@unchecked Sendable` is safe: `init` writes `stored`. After that only the caller that wins the exchange on `taken`
/// accesses it. The exchange orders this access after the initialization.
package final class OnceCell<Value>: @unchecked Sendable {
    private let taken = Atomic<Bool>(false)
    private var stored: Value?

    package init(_ value: consuming sending Value) {
        stored = consume value
    }

    /// Whether the value has been taken.
    package var isTaken: Bool { taken.load(ordering: .acquiring) }

    /// Returns the value to the first caller, and nil to later callers.
    package func take() -> Value? {
        if taken.load(ordering: .relaxed) || taken.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        let value = stored
        stored = nil
        return value
    }
}
