// SPDX-License-Identifier: MIT
/// A variable without protection. The hop between threads that a check tests must order the accesses.
///
/// `@unchecked Sendable` is wrong here on purpose. Each side reads after the other has passed the variable on. If the
/// loop does not order this, ThreadSanitizer reports a race.
final class Unprotected: @unchecked Sendable {
    var value = 0
}
