// SPDX-License-Identifier: MIT
public import Synchronization

/// A reference to an object that is created by the first thread that needs it. Afterwards the reference does not
/// change.
///
/// It replaces the library's `AtomicLazyReference`, whose `load()` is not inlined and looks up its type at run time.
///
/// Safe: the address changes once, from 0 to that of an object that has been retained for this reference. The exchange
/// orders that change after the initialization of the object. Only `deinit` releases the object.
@usableFromInline
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the object, or 0.
    @usableFromInline
    let address = Atomic<UInt>(0)

    @inlinable
    package init() {}

    @inlinable
    deinit {
        if let address = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
            unsafe Unmanaged<Object>.fromOpaque(address).release()
        }
    }

    /// The object, or nil if none has been stored.
    @inlinable
    package var object: Object? {
        guard let address = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
    }

    /// Returns the object. If there is none, first stores `made`. All callers receive the same object.
    package func object(orStoring made: @autoclosure () -> Object) -> Object {
        if let object { return object }
        let new = made()
        let unmanaged = unsafe Unmanaged.passRetained(new)
        let (isStored, _) = address.compareExchange(
            expected: 0,
            desired: unsafe UInt(bitPattern: unmanaged.toOpaque()),
            successOrdering: .sequentiallyConsistent,
            failureOrdering: .sequentiallyConsistent
        )
        if isStored { return new }
        unsafe unmanaged.release()
        guard let object else { fatalError("a lazy reference has no object, but refused a new one") }
        return object
    }
}
