// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// Runs `body`, and throws a ``LeakError`` if it leaves subscriptions, loops or descriptors behind.
///
/// ```swift
/// let answer = try withLeakCheck(for: [.subscriptions, .loops]) {
///     let time = TestScheduler()
///     let source = time.cold("-a|")
///     let recorder = time.record(source.signal)
///     try time.run()
///     return recorder.values
/// }
/// ```
///
/// Objects that existed before are not reported. The check covers the subscriptions and loops that begin in the task of
/// `body`, in that task's children, and in the work of loops and schedulers that `body` creates. Other tests may run at
/// the same time, including leak checks. Checks nest. You need not call `LiveGraph.start()`
/// before: the check records the subscriptions itself.
///
/// The check has these limits:
///
/// - Descriptors belong to the process. A descriptor that other code opens during the check is reported, unless it is
///   closed `within` the limit. Pass `for: [.subscriptions, .loops]` if other tests open descriptors.
/// - A descriptor that the process opens once and keeps, such as one of a main loop, is reported too. To avoid this,
///   call the code that opens it once before the check.
/// - A descriptor that replaces an older one with the same number and the same target is not found.
/// - Subscriptions and loops that begin in a detached task, on a thread of another library, or in the work of a
///   scheduler that existed before are not found.
/// - Main loops exist until the process ends, and are not reported. Loops that are not a `PollerLoop` are not counted.
/// - Inputs of operators are not listed. They end when the subscription to the operator ends.
///
/// In an async function, the compiler chooses the async form of this function, which needs `await`.
///
/// - Parameters:
///   - kinds: The kinds of leaks to look for.
///   - limit: The time that other threads have to clean up. The check looks again until nothing is left, or until this
///     time has passed. It blocks the calling thread, so a loop on that thread runs no work. Zero looks once.
///   - file: The file in the error.
///   - line: The line in the error.
///   - body: The code to check. Its result is still retained when the check looks.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, without a check. If `body` returns, a ``LeakError`` if something is left.
@discardableResult
public func withLeakCheck<Result>(
    for kinds: LeakKinds = .all,
    within limit: Duration = .seconds(2),
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: () throws -> Result
) throws -> Result {
    let check = LeakCheck(for: kinds)
    defer { check.end() }
    let result = try check.scope.run(body)
    var wait = LeakWait(check.leaks(), within: limit)
    while let time = wait.nextWait() {
        _ = ParkingSpot().park(nanoseconds: time.saturatedNanoseconds)
        wait.look(check.leaks())
    }
    if !wait.leaks.isEmpty { throw LeakError(leaks: wait.leaks, file: "\(file)", line: line) }
    return result
}

/// Runs an async `body` on the caller's actor, and throws a ``LeakError`` if it leaves subscriptions, loops or
/// descriptors behind.
///
/// It behaves like the synchronous form, but blocks no thread while it waits. If the task is cancelled, it looks once.
///
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, without a check. If `body` returns, a ``LeakError`` if something is left.
@discardableResult
public func withLeakCheck<Result>(
    for kinds: LeakKinds = .all,
    within limit: Duration = .seconds(2),
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: () async throws -> Result
) async throws -> Result {
    let check = LeakCheck(for: kinds)
    defer { check.end() }
    let result = try await check.scope.run(body)
    var wait = LeakWait(check.leaks(), within: limit)
    while let time = wait.nextWait(), (try? await Task.sleep(for: time)) != nil { wait.look(check.leaks()) }
    if !wait.leaks.isEmpty { throw LeakError(leaks: wait.leaks, file: "\(file)", line: line) }
    return result
}
