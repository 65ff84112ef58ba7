/// Why `@unchecked` is right: nothing outside of this package can make a subclass, everything in it and in those there are is constant,
/// atomic or behind a lock, and what belongs to one loop is `UnsafeTransfer`. The compiler believes that of final classes only.
extension SignalSubscription: @unchecked Sendable {}
