// SPDX-License-Identifier: MIT
import Synchronization

/// A part of the program that is checked for leaks. Subscriptions and loops that begin within a scope belong to it.
///
/// The scope of code is that of its task. Child tasks and `Task { }` inherit it. If the task has no scope, or the code
/// runs in no task, the scope is that of the scheduler whose work is running on the thread. This is the scope in which
/// the scheduler was created.
///
/// A loop looks up its scope once, when it is created. So events need no look-up.
package final class LeakScope: Sendable {
    @TaskLocal private static var ofTask: LeakScope?

    private struct State {
        var last = 0
        var loops: [Int: String] = [:]
    }

    /// The scope that contains this one, or nil.
    private let parent: LeakScope?
    private let state = Lock(State())

    private init(in parent: LeakScope?) { self.parent = parent }

    /// Creates a scope within the scope of the calling code.
    package convenience init() { self.init(in: .current) }

    /// The scope of the calling code, or nil.
    package static var current: LeakScope? { ofTask ?? CurrentScheduler.leakScope }

    /// Whether this scope is `other` or nested in it.
    package func isWithin(_ other: LeakScope) -> Bool { chain.contains { $0 === other } }

    /// Runs `body` within the scope.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$ofTask.withValue(self) { try body() }
    }

    /// Runs `body` within the scope, on the caller's actor.
    package func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.$ofTask.withValue(self) { try await body() }
    }

    /// The names of the loops that were created within the scope and are not disposed, in the order of creation.
    package var loops: [String] { state.withLock { $0.loops.sorted { $0.key < $1.key }.map(\.value) } }

    /// A loop that was created within a scope.
    package final class LoopRecord: Sendable {
        private let scope: LeakScope
        private let numbers: [Int]

        fileprivate init(_ name: String, in scope: LeakScope) {
            self.scope = scope
            numbers = scope.chain.map { scope in
                scope.state.withLock { state in
                    state.last += 1
                    state.loops[state.last] = name
                    return state.last
                }
            }
        }

        /// Records that the loop has been disposed and has closed its descriptors. Later calls have no effect.
        package func end() {
            for (scope, number) in zip(scope.chain, numbers) {
                scope.state.withLock { state in state.loops[number] = nil }
            }
        }
    }

    /// Records a loop that the calling code has created. Returns nil if the code is in no scope.
    package static func recordLoop(_ name: String) -> LoopRecord? { current.map { LoopRecord(name, in: $0) } }

    /// This scope, and the scopes that contain it.
    private var chain: [LeakScope] {
        var (chain, next) = ([self], parent)
        while let scope = next {
            chain.append(scope)
            next = scope.parent
        }
        return chain
    }
}
