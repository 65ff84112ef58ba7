// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

extension Strands {
    /// How often a strand may wait after its process has ended.
    private static let mostWaits = 10_000

    /// Ends the strands of a host whose kernel has closed all descriptors. They first run to their end, without stops.
    ///
    /// A strand that only waits never ends. Its thread stays blocked.
    func end(_ host: SimulatedHost) {
        let own = state.withLockAtOnce { state in
            state.isDraining = true
            defer { state.all.removeAll { $0.host === host && $0 !== state.running } }
            return state.all.filter { $0.host === host }
        }
        defer { state.withLockAtOnce { state in state.isDraining = false } }
        let running = state.withLockAtOnce { state in state.running }
        for strand in own where strand.phase == .outside { withExtendedLifetime(strand.cancel()) {} }
        if let running, running.host === host { running.phase = .over }
        var waits = 0
        while waits < Self.mostWaits {
            let inside = own.filter { $0.phase == .inside && $0.drivenCount == 0 && $0 !== running && $0.canEnd }
            if inside.isEmpty { break }
            for strand in inside {
                try? run(strand)
                waits += 1
            }
        }
        // The threads of loops wait for another turn, which must not follow.
        for strand in own where strand.hasThread && strand !== running && strand.isLoop && strand.phase != .inside {
            strand.phase = .over
            try? run(strand)
        }
    }
}

extension Strand {
    /// Whether a call of the thread returns, now that its process has ended. A deadline counts as reached.
    fileprivate var canEnd: Bool { wait.map { $0.deadline != .distantFuture || $0.isDone() } ?? true }
}
