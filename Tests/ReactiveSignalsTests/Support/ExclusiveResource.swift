// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// A resource that must not be opened twice at the same time. Opening and closing it takes several steps.
final class ExclusiveResource: Sendable {
    private struct State {
        var users = 0
        var opened = 0
        var hasOverlapped = false
    }

    private let state = Box(State())
    private let emitters = Log<Emitter<Int, TestError>>()
    /// Called while the resource is being opened and closed.
    private let onOpen: @Sendable () -> Void
    private let onClose: @Sendable () -> Void

    init(onOpen: @escaping @Sendable () -> Void = {}, onClose: @escaping @Sendable () -> Void = {}) {
        self.onOpen = onOpen
        self.onClose = onClose
    }

    /// Creates a resource whose first user blocks in `close()` until the latch opens.
    static func slow(_ isClosing: Latch, _ mayClose: Latch) -> ExclusiveResource {
        ExclusiveResource(onClose: { if !isClosing.isOpen { isClosing.arrive(waitingFor: mayClose) } })
    }

    /// How often the resource has been opened.
    var opened: Int { state.value.opened }
    /// How many users have opened it and have not closed it completely.
    var users: Int { state.value.users }
    var hasOverlapped: Bool { state.value.hasOverlapped }

    /// The resource is open while a subscription exists.
    var signal: Signal<Int, TestError> {
        Signal { [self] emitter, subscription in
            open()
            emitters.add(emitter)
            subscription.onDispose { [self] in close() }
        }
    }

    /// The newest user fails or completes.
    func fail() { emitters.entries.last?.fail(.broken) }
    func complete() { emitters.entries.last?.complete() }

    func open() {
        state.update { state in
            state.opened += 1
            state.users += 1
            if state.users > 1 { state.hasOverlapped = true }
        }
        onOpen()
    }

    func close() {
        onClose()
        state.update { state in state.users -= 1 }
    }
}

extension Latch {
    /// Arrives, and blocks the thread until the other latch is open.
    func arrive(waitingFor permission: Latch) {
        arrive()
        do { try permission.wait("the permission to continue") } catch { Issue.record(error) }
    }
}
