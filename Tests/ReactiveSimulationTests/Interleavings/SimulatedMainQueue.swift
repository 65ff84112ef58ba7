// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import SchedulerEngine

@testable import ReactiveSimulation

/// A main queue that runs a loop between the loop's own runs, as the main queue of libdispatch does.
final class SimulatedMainQueue: YieldingHost {
    private struct State {
        var phase = Phase.dormant
        var isInOwnRun = false
        var isCalled = false
        var descriptor: Int32 = -1
        var turn: (@Sendable () -> Void)?
    }

    private enum Phase { case dormant, watching, over }

    private let kernel: HostKernel
    private let state = Lock(State())

    init(of host: SimulatedHost) { kernel = host.kernel }

    /// Blocks the main thread until there is something to serve, until `isDone`, or until a duration of the world has
    /// passed. Returns whether there is something to serve.
    func wait(_ duration: Duration, until isDone: @escaping @Sendable () -> Bool) -> Bool {
        let nanoseconds = Int64(duration / .nanoseconds(1))
        SimulatedProcess.current?.threads?.wait(nanoseconds: nanoseconds) { [self] in isDue || isDone() }
        return isDue
    }

    private var isDue: Bool {
        let state = state.withLockAtOnce { state in state }
        return state.isCalled || (state.phase == .watching && isReadable(state.descriptor))
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        kernel.withHost { _, host in host.descriptors[descriptor]?.readiness.contains(.read) == true }
    }

    /// Runs the queued blocks, and a turn of the loop if its descriptor is readable. Only the main thread calls it.
    func serve() {
        let isCalled = state.withLock { state in
            defer { state.isCalled = false }
            return state.isCalled
        }
        if isCalled { _ = begin() }
        let (descriptor, turn) = state.withLock { state in
            state.phase == .watching ? (state.descriptor, state.turn) : (-1, nil)
        }
        if let turn, isReadable(descriptor) { turn() }
    }

    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) {
        state.withLock { state in (state.descriptor, state.turn) = (descriptor, turn) }
    }

    func detach() {
        let last = state.withLock { state in
            defer { state = State(phase: .over) }
            return state
        }
        withExtendedLifetime(last) {}
    }

    func begin() -> Bool {
        state.withLock { state in
            if state.phase == .dormant, !state.isInOwnRun { state.phase = .watching }
        }
        return true
    }

    func call() -> YieldingHostAnswer {
        state.withLock { state in
            if state.phase != .dormant { return .watches }
            if state.isInOwnRun { return .standsBack }
            state.isCalled = true
            return .isCalled
        }
    }

    func runWillBegin() {
        state.withLock { state in
            state.isInOwnRun = true
            // The loop's own run serves the main queue too. A block that it executes does nothing.
            state.isCalled = false
        }
    }

    func runDidEnd() { state.withLock { state in state.isInOwnRun = false } }
}
