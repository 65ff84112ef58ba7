// SPDX-License-Identifier: MIT
/// A reference that does not retain its object, and that several closures share.
///
/// The runtime registers each copy of a ``Weak`` with its object, and removes the copy when it is destroyed. A handle
/// is registered once, and passing it on costs only a retain.
@usableFromInline
package final class WeakHandle<Object: AnyObject> {
    /// The object. The creator sets it once, before others have the handle.
    @usableFromInline
    package weak var object: Object?

    @inlinable
    package init() {}

    @inlinable
    package init(_ object: Object) {
        self.object = object
    }
}
