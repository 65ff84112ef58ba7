// SPDX-License-Identifier: MIT
/// A reference that does not retain its object.
@usableFromInline
package struct Weak<Object: AnyObject> {
    @usableFromInline
    package weak var object: Object?

    @inlinable
    package init(_ object: Object) {
        self.object = object
    }
}
