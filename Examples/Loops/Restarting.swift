// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// Replaces this process by the next one on SIGHUP, and keeps the service manager informed. Its members are called on the
/// main loop.
public final class Restarting: Sendable {
    private let manager: ServiceManager?
    private let socket: HandoverSocket
    private let address: SocketAddress
    private let main: any LoopScheduler
    private let drain: @Sendable () -> Void
    private let next = Property<ChildProcess?>(nil)
    private let handover = Property<Handover?>(nil)
    /// Whether this process ends and no other one serves its sockets. Then it starts no other one.
    private let isEnding = Property(false)
    private let watchdog: (any Disposable)?
    /// The program of this process. After an upgrade, the path names the new version.
    private let program: String

    init(
        _ manager: ServiceManager?,
        _ socket: HandoverSocket,
        _ address: SocketAddress,
        _ loops: LoopGroup,
        _ main: any LoopScheduler,
        _ drain: @escaping @Sendable () -> Void
    ) throws {
        self.manager = manager
        self.socket = socket
        self.address = address
        self.main = main
        self.drain = drain
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        program = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The variable names this process, and the next one would conclude that it is not watched.
        unsetenv("WATCHDOG_PID")
        var loops = loops.loops
        if !loops.contains(where: { $0 === main }) { loops.insert(main, at: 0) }
        watchdog = try manager?.feedWatchdog(from: loops)
    }

    /// Prepares the hand-over.
    func prepare(at place: SocketAddress, after inherited: InheritedSockets?) throws {
        let handover = try Handover(of: [socket], at: place, loop: main, after: inherited)
        self.handover.value = handover
        handover.failures.subscribe(onValue: { [self] error in
            report("the next process has not taken over, so this one continues: \(error.message)")
        })
        handover.completed.subscribe(onTermination: { [self] _ in
            guard handover.isCompleted else { return }
            watchdog?.dispose()
            // Before this process can end: otherwise systemd would conclude that the service has ended.
            if let child = next.value { notify(.mainProcess(child.identifier)) }
            report("the next process serves")
            drain()
        })
        _ = try main.onSignal(.hangUp) { [self] in startNext() }
    }

    /// The service serves.
    public func reportReady() {
        notify(.mainProcess(getpid()), .ready, .status("serving on \(address)"))
    }

    /// The service ends, and no other process serves its sockets.
    public func reportStopping() {
        if handover.value?.isCompleted != true {
            notify(.stopping)
            isEnding.value = true
            // It would find no hand-over, open sockets of its own and outlive this process.
            try? next.value?.send(.terminate)
        }
        // So a process that starts during the drain opens its own sockets instead of being refused.
        handover.value?.close()
    }

    /// On SIGINT or SIGTERM, reports that the service ends, and drains.
    public func drainOnSignal() {
        main.processSignals(.interrupt, .terminate).take(1).subscribe(
            onValue: { [self] _ in
                reportStopping()
                drain()
            },
            onTermination: { _ in }
        )
    }

    private func startNext() {
        guard next.value == nil, handover.value?.isCompleted == false, !isEnding.value else { return }
        notify(.reloading)
        do {
            let child = try ChildProcess(program, Array(CommandLine.arguments.dropFirst()), loop: main)
            next.value = child
            child.exit.subscribe(
                onValue: { [self] status in ended("\(status)") },
                onTermination: { [self] in if case .failed(let error) = $0 { ended(error.message) } }
            )
        } catch {
            ended(error.message)
        }
    }

    private func ended(_ reason: String) {
        next.value = nil
        guard handover.value?.isCompleted == false, !isEnding.value else { return }
        report("the next process has ended, so this one continues: \(reason)")
        reportReady()
    }

    private func report(_ line: String) {
        print(line)
        fflush(nil)
    }

    private func notify(_ states: ServiceManager.State...) {
        do throws(SocketError) {
            try manager?.notify(states)
        } catch {
            report(error.message)
        }
    }
}
