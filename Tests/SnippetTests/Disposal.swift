// SPDX-License-Identifier: MIT
import ReactiveCore
import SchedulerEngine
import Synchronization
import Testing

// The snippet of Docs/Disposal.md.

private final class Session: Sendable {
    private let ends = Atomic<Int>(0)

    var endCount: Int { ends.load(ordering: .acquiring) }

    func end() { ends.add(1, ordering: .releasing) }
}

private func register(_ session: Session, with loop: any LoopScheduler) -> any Disposable {
    let registration = loop.onDispose { [weak session] in session?.end() }
    return registration
}

@Suite struct DisposalSnippets {
    @Test func eachSessionEndsOnce() throws {
        let loop = try EpollLoop(name: "sessions", thread: .caller)
        let sessions = (0..<3).map { _ in Session() }
        let registrations = sessions.map { register($0, with: loop) }
        registrations[1].dispose()
        loop.dispose()
        let late = Session()
        _ = register(late, with: loop)
        #expect((sessions + [late]).map(\.endCount) == [1, 0, 1, 1])
    }
}
