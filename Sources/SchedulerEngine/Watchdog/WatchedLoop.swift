// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// A loop of this module, as a watchdog needs it.
protocol EngineLoop {
    var core: LoopCore { get }
}

extension PollerLoop: EngineLoop where Back: ~Copyable {}

/// A loop under observation. Only the watchdog's thread uses it.
struct WatchedLoop: Sendable {
    /// It does not retain the loop. The loop's release disposes the core.
    private let core: LoopCore
    private var timer = TurnTimer()

    init(_ core: LoopCore) {
        self.core = core
        core.watchdogs.add(1, ordering: .relaxed)
    }

    /// Whether the loop runs no callback any more, and the end of each reported turn has been observed.
    var isGone: Bool { core.isDisposed && core.turnStamp == nil && !timer.awaitsEnd }

    /// Records that the observation has ended.
    func leave() { core.watchdogs.subtract(1, ordering: .relaxed) }

    mutating func startOver() { timer.startOver() }

    /// Observes the loop. Returns a turn that has reached the limit or has ended, if there is one.
    mutating func observe(counting interval: Int64, limit: Int64) -> (turn: BlockedTurn, hasEnded: Bool)? {
        let stamp = core.turnStamp
        let verdict = timer.observe(stamp: stamp, interval: interval, limit: limit) {
            ThreadLoad(of: core.kernelThread.load(ordering: .relaxed))
        }
        switch verdict {
        case .nothing: return nil
        case .ended(let time):
            return (BlockedTurn(loop: core.name, duration: .nanoseconds(time), stack: []), true)
        case .blocked(let time):
            var turn = BlockedTurn(loop: core.name, duration: .nanoseconds(time), stack: [])
            do {
                let stack = try ThreadStack(of: core.runner, within: Self.patience)
                // Another turn may have begun before the thread handled the signal.
                if core.turnStamp == stamp {
                    turn.stack = stack.lines
                } else {
                    turn.missingStack = "the turn has ended before its stack was captured"
                }
            } catch {
                turn.missingStack = error.description
            }
            return (turn, false)
        }
    }

    /// How long to wait until a thread handles the signal that captures its stack, in nanoseconds. It handles the
    /// signal at once, unless it blocks the signal or waits for a processor.
    private static let patience: Int64 = 1_000_000_000
}

extension LoopCore {
    /// A number that is the same as long as the loop does not wait. nil if the loop waits or does not run. Any thread
    /// may read it.
    fileprivate var turnStamp: UInt64? {
        let value = phase.value
        return runningThread.load(ordering: .relaxed) == 0 || TurnPhase.isWait(value) ? nil : value
    }

    /// The thread of the last run.
    fileprivate var runner: ThreadStack.Thread { .init(number: kernelThread.load(ordering: .relaxed)) }

    /// Runs `body`, and lets a watchdog of the loop capture the stack of this thread, even if it blocks signals.
    @inline(__always)
    func permittingCapture(_ body: () throws(LoopError) -> Void) throws(LoopError) {
        if watchdogs.load(ordering: .relaxed) == 0 { return try body() }
        try ThreadStack.permittingCapture(body)
    }
}
