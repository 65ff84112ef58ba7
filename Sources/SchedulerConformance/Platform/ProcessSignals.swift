// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveCore
import ReactiveSockets

/// Process signals, forks and children by system calls. Each check has its own process, so nothing is restored.
///
/// Safe: the calls receive strings and local variables, and keep no pointer.
enum ProcessSignals {
    /// Sends a signal to the calling thread. The signal arrives before this call returns. A signal to the process could
    /// arrive later, on another thread.
    static func raise(_ signal: ProcessSignal) {
        if let machine = Platform.simulated { return machine.raise(signal.rawValue) }
        var own = sigset_t()
        unsafe sigemptyset(&own)
        unsafe sigaddset(&own, signal.rawValue)
        unsafe pthread_sigmask(SIG_UNBLOCK, &own, nil)
        pthread_kill(pthread_self(), signal.rawValue)
    }

    /// The disposition of a signal: 0 for the default, 1 if the signal is ignored, otherwise the handler's address.
    static func disposition(_ signal: ProcessSignal) -> UInt {
        // A simulated process has only handlers; without one, a signal is ignored.
        if let machine = Platform.simulated { return machine.isHandled(signal.rawValue) ? 2 : 1 }
        var action = sigaction()
        unsafe sigaction(signal.rawValue, nil, &action)
        return unsafe UInt(bitPattern: unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self))
    }

    static func setDisposition(_ signal: ProcessSignal, isIgnored: Bool) {
        if Platform.simulated != nil { return }
        Glibc.signal(signal.rawValue, isIgnored ? SIG_IGN : SIG_DFL)
    }

    /// A thread to which signals can be sent while it runs.
    struct Thread: Sendable {
        private let thread: pthread_t

        static var current: Thread {
            var all = sigset_t()
            unsafe sigfillset(&all)
            unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
            return Thread(thread: pthread_self())
        }

        func send(_ signal: ProcessSignal) {
            if let machine = Platform.simulated { return machine.raise(signal.rawValue) }
            pthread_kill(thread, signal.rawValue)
        }
    }

    /// Forks, and runs `body` in the child. Returns the child's exit code, which is the result of `body`. Returns -1 if
    /// the child crashed, and -2 if it took more than a minute. Only the calling thread exists in the child, so `body`
    /// must not wait for another thread. The other threads must sleep (``ProcessResources/othersSleep``).
    static func inFork(_ body: () -> Int32) -> Int32 {
        switch ForkedChild(body).wait() {
        case .exited(let code): code
        case .signalled(SIGALRM): -2
        case .signalled: -1
        }
    }

    /// Starts a child without the loop. The child exits with 5.
    static func startForeignChild() -> Int32 {
        let (code, identifier) = Program.start("/bin/sh", ["-c", "exit 5"], [-1, -1, -1], inherits: true)
        return code == 0 ? identifier : -1
    }

    /// Returns the child's exit code, or -1 if other code has waited for the child.
    static func collectForeignChild(_ identifier: Int32) -> Int32 {
        var status: Int32 = 0
        guard identifier > 0, unsafe waitpid(identifier, &status, 0) == identifier else { return -1 }
        return (status >> 8) & 0xff
    }

    /// Whether the process exists. A zombie exists too.
    static func exists(_ identifier: Int32) -> Bool { kill(identifier, 0) == 0 }
}
