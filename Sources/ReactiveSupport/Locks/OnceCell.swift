// SPDX-License-Identifier: MIT
import Synchronization

/// Stores a value until the first caller takes it, on any thread.
///
/// `@unchecked Sendable` is safe: `init` writes `stored`, and after that only the one caller that wins the exchange on
/// `taken`, which orders it after everything that the creator did.
package final class OnceCell<Value>: @unchecked Sendable {
    private let taken = Atomic<Bool>(false)
    private var stored: Value?

    package init(_ value: consuming sending Value) {
        stored = consume value
    }

    /// Whether the value has been taken.
    package var isTaken: Bool { taken.load(ordering: .acquiring) }

    /// Returns the value to the first caller, and nil to later ones.
    package func take() -> Value? {
        if taken.load(ordering: .relaxed) || taken.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        let value = stored
        stored = nil
        return value
    }
}
