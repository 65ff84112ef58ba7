/// A reference that does not keep its object.
@usableFromInline
struct Weak<Object: AnyObject> {
    @usableFromInline
    weak var object: Object?

    @inlinable
    init(_ object: Object) {
        self.object = object
    }
}
