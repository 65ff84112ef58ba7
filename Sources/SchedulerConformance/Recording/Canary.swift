// SPDX-License-Identifier: MIT
/// An object that reports its release. A closure that captures it shows when the closure is released.
package final class Canary: Sendable {
    private let gone: @Sendable () -> Void
    private let birth: Birth?

    package init(file: StaticString = #fileID, line: Int = #line, _ gone: @escaping @Sendable () -> Void) {
        self.gone = gone
        birth = Birth.of("a closure", file, line)
    }

    deinit { gone() }

    /// Returns a closure that calls `body`. When the closure is released, `gone` is incremented.
    static func closure(
        countedBy gone: Box<Int>,
        file: StaticString = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable () -> Void = {}
    ) -> @Sendable () -> Void {
        let canary = Canary(file: file, line: line) { gone.increment() }
        return {
            canary.sing()
            body()
        }
    }

    /// Has no effect. Call it in a closure, so that the closure captures the canary.
    package func sing() {}
}
