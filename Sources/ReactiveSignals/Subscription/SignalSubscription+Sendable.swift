// SPDX-License-Identifier: MIT
/// `@unchecked Sendable` is safe: only this package can subclass it, and all fields here and in the subclasses are
/// constant, atomic, behind a lock, or belong to one loop. The compiler checks final classes only.
extension SignalSubscription: @unchecked Sendable {}
