// SPDX-License-Identifier: MIT

/// Traps with `message` if the caller misuses the API, in debug and in release builds.
///
/// `precondition` does not print its message in a release build, so the user of an API would not learn what was wrong.
/// `Tests/Checks/layering.sh` rejects a `precondition` with a message. The message is built outside of the caller's code,
/// when it is needed.
///
/// `Tests/Checks/misuses.py` requires a test that reads the message. A broken invariant is not a misuse, because users
/// cannot cause it. Check it with `assert`, or with a `precondition` without a message if memory safety depends on it.
/// Use `fatalError` in the `else` of a `guard let`, and for a failure of the system that no caller can handle.
///
/// - Parameters:
///   - condition: Whether the call is legal.
///   - message: What is wrong, and what is allowed.
@inlinable
@inline(__always)
package func require(
    _ condition: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    if !condition { trap(message(), file: file, line: line) }
}

/// Traps with `message` after a misuse of the API, in debug and in release builds. See ``require(_:_:file:line:)``.
@usableFromInline
@inline(never)
package func trap(
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) -> Never {
    fatalError(message(), file: file, line: line)
}
