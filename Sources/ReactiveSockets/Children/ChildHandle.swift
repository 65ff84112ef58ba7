import CReactive
import Glibc
import ReactiveCore
import ReactiveSupport

/// A child process, by a descriptor that stands for it and for no other (a pidfd).
///
/// Signals come from any thread, the rest from the child's loop, or from whoever comes after it. The lock is held while the
/// system is asked, so that the descriptor is not closed, and its number somebody else's, in between.
final class ChildHandle: Sendable {
    let identifier: Int32
    private let descriptor: Lock<Int32?>

    /// What collecting the status came to.
    enum Reaped {
        case running
        case ended(ChildProcess.ExitStatus)
        /// With the system's error number, or with 0 where somebody else has the status.
        case failed(Int32)
    }

    /// `descriptor` is nil where the child has ended and is nobody's already.
    init(identifier: Int32, descriptor: Int32?) {
        self.identifier = identifier
        self.descriptor = Lock(descriptor)
    }

    deinit { close() }

    var pollDescriptor: Int32? { descriptor.withLock { $0 } }

    /// 0, or why not.
    func send(_ signal: Int32) -> Int32 {
        descriptor.withLock { descriptor in
            descriptor.map { reactive_pidfd_send($0, signal) } ?? ESRCH
        }
    }

    func kill() { _ = send(SIGKILL) }

    /// Takes the status, if the child has ended.
    func reap() -> Reaped {
        return descriptor.withLock { descriptor in
            descriptor.map { ChildHandle.reap($0, waiting: false) } ?? .failed(0)
        }
    }

    func close() {
        descriptor.withLock { descriptor in
            if let number = descriptor.take() { _ = Glibc.close(number) }
        }
    }

    /// The loop is over: somebody has to wait for the child, or its remains would stay as long as this process does.
    func orphan(killing: Bool) {
        if killing { kill() }
        guard case .running = reap() else { return close() }
        // Nobody asks for more: signals to it are refused from here on.
        let left = descriptor.withLock { descriptor in descriptor.take() }
        guard let left else { return }
        do {
            try SystemThread.detachWorker(name: "child") {
                _ = ChildHandle.reap(left, waiting: true)
                _ = Glibc.close(left)
            }
        } catch {
            // Without a thread its remains stay until this process ends.
            _ = Glibc.close(left)
        }
    }

    private static func reap(_ descriptor: Int32, waiting: Bool) -> Reaped {
        var isSignalled = false
        var status: Int32 = 0
        // Safe: the call fills local variables.
        switch unsafe reactive_pidfd_reap(descriptor, waiting, &isSignalled, &status) {
        case 0: return .running
        case 1: return .ended(isSignalled ? .signalled(ProcessSignal(rawValue: status)) : .exited(status))
        case -ECHILD: return .failed(0)
        case let code: return .failed(-code)
        }
    }
}
