/// A value that may be carried from thread to thread but is used by one at a time.
///
/// Why that is right: what it holds belongs to one delivery context (law 2: events to one observer never overlap), to one
/// loop, or to whoever drains a queue, and the hand-over from one thread to the next goes through a lock or an atomic.
/// The compiler cannot see it; the conformance and the sanitizer runs do.
@frozen
@usableFromInline
package struct Confined<Value>: @unchecked Sendable {
    @usableFromInline
    package let value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }
}
