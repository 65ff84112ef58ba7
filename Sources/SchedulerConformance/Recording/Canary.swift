/// Reports its release, for closures that have to be released.
package final class Canary: Sendable {
    private let gone: @Sendable () -> Void
    private let birth: Birth?

    package init(file: StaticString = #fileID, line: Int = #line, _ gone: @escaping @Sendable () -> Void) {
        self.gone = gone
        birth = Birth.of("a closure", file, line)
    }

    deinit { gone() }

    /// Something to do with it inside a closure, so that the closure holds it.
    package func sing() {}
}
