// SPDX-License-Identifier: MIT
/// Carries a value that is not `Sendable` from one thread to another, without a check.
///
/// Safe if one thread at a time uses the value, and a lock or an atomic orders the use by one thread before the use by
/// the next. This is so if the value belongs to a loop, to the delivery context of a subscription (law 2), or to the
/// thread that drains a queue.
@frozen
@usableFromInline
package struct UnsafeTransfer<Value>: @unchecked Sendable {
    @usableFromInline
    package let value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }
}
