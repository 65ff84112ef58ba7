// SPDX-License-Identifier: MIT

/// Traps with `message` if `condition` is false, in debug and in release builds.
///
/// `precondition` does not print its message in a release build, so the user of an API would not learn what was wrong.
/// `Tests/Checks/layering.sh` rejects it. The message is built outside of the caller's code, when it is needed.
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

/// Traps with `message`, in debug and in release builds. See ``require(_:_:file:line:)``.
@usableFromInline
@inline(never)
package func trap(
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) -> Never {
    fatalError(message(), file: file, line: line)
}
