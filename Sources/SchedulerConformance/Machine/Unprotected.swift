// SPDX-License-Identifier: MIT
/// A variable without protection: the hop that is checked must order the accesses.
///
/// `@unchecked Sendable` is wrong here on purpose: each side reads after the other has handed over, and ThreadSanitizer
/// reports a race if the loop breaks that promise.
final class Unprotected: @unchecked Sendable {
    var value = 0
}
