// SPDX-License-Identifier: MIT
/// `@unchecked Sendable` is safe: only this package can subclass it. All fields, including those of subclasses, are
/// constant, atomic, behind a lock, or used on one loop only. The compiler can check only final classes.
extension SignalSubscription: @unchecked Sendable {}
