// SPDX-License-Identifier: MIT
/// Reports its release, to check that a closure is released.
package final class Canary: Sendable {
    private let gone: @Sendable () -> Void
    private let birth: Birth?

    package init(file: StaticString = #fileID, line: Int = #line, _ gone: @escaping @Sendable () -> Void) {
        self.gone = gone
        birth = Birth.of("a closure", file, line)
    }

    deinit { gone() }

    /// Does nothing. Call it in a closure, so that the closure captures the canary.
    package func sing() {}
}
