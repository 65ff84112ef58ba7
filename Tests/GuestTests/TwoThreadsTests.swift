// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import SchedulerEngine
import Testing

extension Guests {
    @Suite struct TwoThreads {
        @Test("A host that runs its guest on two threads at once traps with the reason")
        func atOnce() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let host = CalledHost()
                let guest = try EpollLoop(attachedTo: host, name: "visitor")
                // The guest's turn runs on this thread until the other thread has tried.
                guest.execute { SystemThread.orTrap(name: "second") { host.call() }.join() }
                host.call()
            }
            let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            let sentence = "loop visitor: its host runs it on two threads at once; a host must call one turn at a time"
            #expect(said.contains(sentence))
        }

        @Test("A host that runs its loop inside a callback of its guest continues the guest's turn")
        func fromInside() throws {
            let host = CalledHost()
            let guest = try EpollLoop(attachedTo: host, name: "visitor")
            let order = Lock<[String]>([])
            guest.execute {
                order.withLock { $0.append("begin") }
                host.call()
                order.withLock { $0.append("end") }
            }
            guest.execute { order.withLock { $0.append("next") } }
            host.call()
            #expect(order.withLock { $0 } == ["begin", "end", "next"])
            guest.dispose()
            host.call()
            #expect(host.hasDetached)
        }
    }
}

/// A host that runs a turn on the calling thread whenever it is called.
private final class CalledHost: LoopHost {
    // A struct wraps the closure, as in `DispatchHost`.
    private struct State {
        var turn: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) {
        state.withLock { $0.turn = turn }
    }

    func detach() {
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        _ = consume last
    }

    var hasDetached: Bool { state.withLock { $0.turn == nil } }

    func call() { state.withLock { $0 }.turn?() }
}
