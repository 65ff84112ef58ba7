import CReactive
import Glibc
import ReactiveCore

/// Signals, forks and children by the system's own calls. A check has its process for itself, so nothing of it is put back.
///
/// Safe: the calls get strings and local variables, and keep no pointer.
enum ProcessSignals {
    /// Sends a signal to the calling thread: when this returns it has arrived. (Sent to the process, another thread would
    /// take it some time.)
    static func raise(_ signal: ProcessSignal) {
        var own = sigset_t()
        unsafe sigemptyset(&own)
        unsafe sigaddset(&own, signal.rawValue)
        unsafe pthread_sigmask(SIG_UNBLOCK, &own, nil)
        pthread_kill(pthread_self(), signal.rawValue)
    }

    /// What happens at a signal: 0 by default, 1 where it is ignored, else the handler's address.
    static func disposition(_ signal: ProcessSignal) -> UInt {
        var action = sigaction()
        unsafe sigaction(signal.rawValue, nil, &action)
        return unsafe UInt(bitPattern: unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self))
    }

    static func setDisposition(_ signal: ProcessSignal, isIgnored: Bool) {
        Glibc.signal(signal.rawValue, isIgnored ? SIG_IGN : SIG_DFL)
    }

    /// A thread to send signals to. It is good for as long as the thread runs.
    struct Thread: Sendable {
        private let thread: pthread_t

        static var current: Thread {
            var all = sigset_t()
            unsafe sigfillset(&all)
            unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
            return Thread(thread: pthread_self())
        }

        func send(_ signal: ProcessSignal) { pthread_kill(thread, signal.rawValue) }
    }

    /// Forks, runs `body` in the child and ends the child with its result, which is returned; -1 for a child that crashed, -2 for
    /// one that was not through after a minute. The child has only the thread that called this: `body` must not wait for another,
    /// and the others have to sleep (``ProcessResources/othersSleep``).
    static func inFork(_ body: () -> Int32) -> Int32 {
        switch ForkedChild(body).wait() {
        case .exited(let code): code
        case .signalled(SIGALRM): -2
        case .signalled: -1
        }
    }

    /// A child that the loop has not started, and that ends with the code 5.
    static func startForeignChild() -> Int32 {
        var identifier: Int32 = 0
        var texts = unsafe ["/bin/sh", "-c", "exit 5"].map { (text: String) in unsafe strdup(text) }
        unsafe texts.append(nil)
        defer { unsafe texts.forEach { text in unsafe free(text) } }
        let code = unsafe reactive_spawn("/bin/sh", texts, nil, nil, [-1, -1, -1], true, &identifier)
        return code == 0 ? identifier : -1
    }

    /// Its exit code, or -1 where somebody else has taken that.
    static func collectForeignChild(_ identifier: Int32) -> Int32 {
        var status: Int32 = 0
        guard identifier > 0, unsafe waitpid(identifier, &status, 0) == identifier else { return -1 }
        return (status >> 8) & 0xff
    }

    /// Whether there is such a process, a zombie included.
    static func exists(_ identifier: Int32) -> Bool { kill(identifier, 0) == 0 }
}
