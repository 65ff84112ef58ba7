import Synchronization

/// Holds a value until somebody takes it, once, from whichever thread comes first.
///
/// Why `@unchecked Sendable` is right: `stored` is written by `init`, and after that only by the one caller that wins the
/// exchange on `taken`, which orders it after everything the maker did.
package final class OnceCell<Value>: @unchecked Sendable {
    private let taken = Atomic<Bool>(false)
    private var stored: Value?

    package init(_ value: consuming sending Value) {
        stored = consume value
    }

    /// Whether it has been taken.
    package var isTaken: Bool { taken.load(ordering: .acquiring) }

    /// The value, for the first caller; nil for every later one.
    package func take() -> Value? {
        if taken.load(ordering: .relaxed) || taken.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        let value = stored
        stored = nil
        return value
    }
}
