/// A reference that does not keep its object, for several closures to have in common.
///
/// A ``Weak`` is entered at its object for each copy, and taken out for each that goes, some 20 ns a time; this one once for
/// all, and passing it on costs a retain.
@usableFromInline
package final class WeakHandle<Object: AnyObject> {
    /// Set once, by whoever makes the handle, before anybody else has it.
    @usableFromInline
    package weak var object: Object?

    @inlinable
    package init() {}

    @inlinable
    package init(_ object: Object) {
        self.object = object
    }
}
