// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveCore
import ReactiveSupport

/// A child process, identified by a pidfd. Unlike a process identifier, a pidfd never refers to another process.
///
/// Any thread may send signals. All other calls are made on the child's loop, or after that loop has been disposed. The
/// lock is held during system calls, so that no other thread closes the descriptor and the system cannot reuse it.
final class ChildHandle: Sendable {
    let identifier: Int32
    private let descriptor: Lock<Int32?>

    /// The result of reaping the child.
    enum Reaped {
        case running
        case ended(ChildProcess.ExitStatus)
        /// The system's error number, or 0 if other code has collected the status.
        case failed(Int32)
    }

    /// Creates a handle. A `descriptor` of `nil` means that the child has exited and other code has reaped it.
    init(identifier: Int32, descriptor: Int32?) {
        self.identifier = identifier
        self.descriptor = Lock(descriptor)
    }

    deinit { close() }

    var pollDescriptor: Int32? { descriptor.withLock { $0 } }

    /// Sends a process signal. Returns 0 or an error number.
    func send(_ signal: Int32) -> Int32 {
        descriptor.withLock { descriptor in
            descriptor.map { reactive_pidfd_send($0, signal) } ?? ESRCH
        }
    }

    func kill() { _ = send(SIGKILL) }

    /// Collects the exit status without waiting.
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

    /// Reaps the child, on a separate thread if the child still runs, because the loop does not wait for it any more.
    /// Otherwise a zombie would remain.
    func orphan(killing: Bool) {
        if killing { kill() }
        guard case .running = reap() else { return close() }
        // From now on `send` returns `ESRCH`.
        let left = descriptor.withLock { descriptor in descriptor.take() }
        guard let left else { return }
        do {
            try SystemThread.detachWorker(name: "child") {
                _ = ChildHandle.reap(left, waiting: true)
                _ = Glibc.close(left)
            }
        } catch {
            // Without a thread, a zombie remains until this process exits.
            _ = Glibc.close(left)
        }
    }

    private static func reap(_ descriptor: Int32, waiting: Bool) -> Reaped {
        var isSignalled = false
        var status: Int32 = 0
        // Safe: the call writes to local variables.
        switch unsafe reactive_pidfd_reap(descriptor, waiting, &isSignalled, &status) {
        case 0: return .running
        case 1: return .ended(isSignalled ? .signalled(ProcessSignal(rawValue: status)) : .exited(status))
        case -ECHILD: return .failed(0)
        case let code: return .failed(-code)
        }
    }
}
