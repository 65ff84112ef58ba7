// SPDX-License-Identifier: MIT
/// A reference that does not retain its object and that several closures share.
///
/// Each copy of a ``Weak`` is registered with its object, and removed when it is destroyed. A handle is registered
/// once, and passing it on costs a retain.
@usableFromInline
package final class WeakHandle<Object: AnyObject> {
    /// Set once, by the creator, before others have the handle.
    @usableFromInline
    package weak var object: Object?

    @inlinable
    package init() {}

    @inlinable
    package init(_ object: Object) {
        self.object = object
    }
}
