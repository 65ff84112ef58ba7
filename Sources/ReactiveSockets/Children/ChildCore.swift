// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Waits for a child to exit. Every member except `deinit` is called on the loop.
///
/// The watch retains this object until the child exits, even after all other references are released.
final class ChildCore: LoopBound {
    let loop: any LoopScheduler
    private let handle: ChildHandle
    private let program: String
    private let isKilledOnRelease: Bool
    private var watch: (any DescriptorWatch)?
    private var outcome: Result<ChildProcess.ExitStatus, SocketError>?
    private var isAbandoned = false
    private let ending = Subject<ChildProcess.ExitStatus, SocketError>()

    init(_ handle: ChildHandle, _ loop: any LoopScheduler, _ program: String, isKilledOnRelease: Bool) {
        self.handle = handle
        self.loop = loop
        self.program = program
        self.isKilledOnRelease = isKilledOnRelease
    }

    deinit {
        // The child is not abandoned yet if the loop was disposed before `start` created the watch.
        abandon()
    }

    func start() {
        guard let descriptor = handle.pollDescriptor else { return finish(.failure(lostStatus)) }
        do {
            watch = try watchDescriptor(descriptor, for: .read) { core, _ in core.look() }
        } catch {
            handle.orphan(killing: isKilledOnRelease)
            finish(.failure(.loop("cannot wait for \(name)", error)))
        }
    }

    func observe(_ emitter: Emitter<ChildProcess.ExitStatus, SocketError>, _ subscription: SignalSubscription) {
        if let outcome { emitter.receive(outcome) } else { ending.subscribe(emitter, in: subscription) }
    }

    func abandon() {
        guard outcome == nil, !isAbandoned else { return }
        isAbandoned = true
        watch.take()?.dispose()
        handle.orphan(killing: isKilledOnRelease)
    }

    private func look() {
        switch handle.reap() {
        case .running: break
        case .ended(let status): finish(.success(status))
        case .failed(let code): finish(.failure(code == 0 ? lostStatus : .system("cannot wait for \(name)", code)))
        }
    }

    /// The state is final before the subscribers are notified, because they may call any member.
    private func finish(_ result: Result<ChildProcess.ExitStatus, SocketError>) {
        guard outcome == nil else { return }
        outcome = result
        watch.take()?.dispose()
        handle.close()
        ending.receive(result)
    }

    private var name: String { "\(program) (process \(handle.identifier))" }

    private var lostStatus: SocketError {
        SocketError(
            .noSuchProcess,
            "cannot read the exit status of \(name): this process ignores SIGCHLD, or other code waits for all children"
        )
    }
}
