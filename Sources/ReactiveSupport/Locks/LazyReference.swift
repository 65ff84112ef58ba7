public import Synchronization

/// A reference to an object that is made when it is first needed, by whichever thread comes first, and stays.
///
/// In place of the library's `AtomicLazyReference`, whose `load()` is not inlined and looks its type up: 570 instructions.
///
/// Why `@unchecked Sendable` is right: the address goes from nil to that of an object that is retained for this, once, by an exchange
/// that orders it after the object's making; nothing takes it away before `deinit`, when nobody else has this.
@usableFromInline
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline
    let address = Atomic<UnsafeRawPointer?>(nil)

    @inlinable
    package init() {}

    @inlinable
    deinit {
        if let address = address.load(ordering: .acquiring) { Unmanaged<Object>.fromOpaque(address).release() }
    }

    /// The object, if it has been made.
    @inlinable
    package var object: Object? {
        address.load(ordering: .acquiring).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The object, or `made` where there is none yet: what all callers get is the same one.
    package func object(orStoring made: @autoclosure () -> Object) -> Object {
        if let object { return object }
        let new = made()
        let unmanaged = Unmanaged.passRetained(new)
        let own = UnsafeRawPointer(unmanaged.toOpaque())
        let (isStored, found) = address.compareExchange(
            expected: nil,
            desired: own,
            successOrdering: .sequentiallyConsistent,
            failureOrdering: .sequentiallyConsistent
        )
        if isStored { return new }
        unmanaged.release()
        guard let found else { preconditionFailure("a lazy reference refused to be set while it was not") }
        return Unmanaged<Object>.fromOpaque(found).takeUnretainedValue()
    }
}
