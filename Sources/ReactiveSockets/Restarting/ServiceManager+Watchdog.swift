// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport
import Synchronization

extension ServiceManager {
    /// Tells the service manager twice in each interval that the service works, while every loop turns.
    ///
    /// A message is sent when each of the loops has run a job since the last one. If a loop is blocked, or is disposed,
    /// the messages stop, and the service manager restarts the service (`WatchdogSec=`). A message that the service
    /// manager's full queue refuses is not repeated.
    ///
    /// - Parameter loops: The loops, at least one. The first one has the timer.
    /// - Returns: The handle that ends the messages. `nil` if the service manager does not watch this process.
    /// - Throws: `outOfDescriptors` or `systemCall` if the system opens no socket. The socket stays open, so that the
    ///   messages need no free descriptor later.
    public func feedWatchdog(from loops: [any LoopScheduler]) throws(SocketError) -> (any Disposable)? {
        guard let watchdogInterval, let home = loops.first else { return nil }
        let round = WatchdogRound(self, try openSocket(), loops)
        return home.schedule(
            at: home.now,
            repeating: .fixedDelay(watchdogInterval / 2),
            options: TimerOptions(keepsLoopAlive: false)
        ) { round.begin() }
    }
}

/// A job that visits every loop. If it returns, all loops turn.
private final class WatchdogRound: Sendable {
    private let manager: ServiceManager
    private let socket: SystemSocket
    private let loops: [any LoopScheduler]
    private let isUnderWay = Atomic<Bool>(false)

    init(_ manager: ServiceManager, _ socket: SystemSocket, _ loops: [any LoopScheduler]) {
        self.manager = manager
        self.socket = socket
        self.loops = loops
    }

    deinit { socket.close() }

    /// Does nothing while the job is under way, so that a blocked loop does not collect jobs.
    func begin() {
        if !isUnderWay.exchange(true, ordering: .acquiringAndReleasing) { visit(1) }
    }

    private func visit(_ index: Int) {
        guard index < loops.count else {
            isUnderWay.store(false, ordering: .releasing)
            // The next message replaces a lost one.
            try? manager.send([.watchdog], on: socket, waiting: false)
            return
        }
        loops[index].execute { [self] in visit(index + 1) }
    }
}
