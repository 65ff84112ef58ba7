// SPDX-License-Identifier: MIT
import Synchronization

/// A part of the program that is checked for leaks. Subscriptions and loops that begin within it belong to it.
///
/// Code is within a scope if its task is, and so are the child tasks and `Task { }` of that task. Without a task the
/// thread counts. Work of a scheduler that was made within a scope is also within it, on any thread.
///
/// A loop looks for its scope once, when it is made. An event costs nothing.
package final class LeakScope: Sendable {
    @TaskLocal private static var ofTask: LeakScope?

    private struct State {
        var last = 0
        var loops: [Int: String] = [:]
    }

    /// The scope that this one is nested in.
    private let parent: LeakScope?
    private let state = Lock(State())

    private init(in parent: LeakScope?) { self.parent = parent }

    /// Makes a scope within the calling code's.
    package convenience init() { self.init(in: .current) }

    /// The scope of the calling code; nil if it is in none.
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

    /// The names of the loops that were made within the scope and are not disposed, in the order of their creation.
    package var loops: [String] { state.withLock { $0.loops.sorted { $0.key < $1.key }.map(\.value) } }

    /// A loop that was made within a scope.
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

        /// The loop has been disposed, and has closed its descriptors. Later calls do nothing.
        package func end() {
            for (scope, number) in zip(scope.chain, numbers) {
                scope.state.withLock { state in state.loops[number] = nil }
            }
        }
    }

    /// Records a loop that the calling code has made. Nil if it is in no scope.
    package static func recordLoop(_ name: String) -> LoopRecord? { current.map { LoopRecord(name, in: $0) } }

    /// This scope, and those around it.
    private var chain: [LeakScope] {
        var (chain, next) = ([self], parent)
        while let scope = next {
            chain.append(scope)
            next = scope.parent
        }
        return chain
    }
}
