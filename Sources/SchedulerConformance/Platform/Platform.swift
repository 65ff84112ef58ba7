// SPDX-License-Identifier: MIT
import CReactive
import Glibc
package import ReactiveCore
import ReactiveSockets
import ReactiveSupport

/// Queries of the system: the time, this process's load, and the capabilities that this machine and this build lack.
///
/// Safe: the system calls receive local variables and keep no pointer. An environment variable is copied immediately.
package enum Platform {
    /// The prefix of the names of loops and their threads.
    static let threadPrefix = "kit-loop-"

    /// The time of `CLOCK_MONOTONIC`, whichever clock the loop uses.
    ///
    /// On a simulated machine a reading takes time, so that a loop that waits for an instant ends.
    package static var now: LoopInstant {
        if simulated == nil { return LoopInstant(nanoseconds: reactive_monotonic_ns()) }
        YieldPoint.letOthersRun()
        return reading
    }

    /// The time, without letting other threads of a simulated machine run.
    private static var reading: LoopInstant {
        simulated?.now ?? LoopInstant(nanoseconds: reactive_monotonic_ns())
    }

    static func milliseconds(since start: LoopInstant) -> Int64 {
        (reading.nanoseconds - start.nanoseconds) / 1_000_000
    }

    /// The system calls of the simulated machine on which the calling thread runs. `nil` on this machine.
    static var simulated: (any MachineSystem)? { SimulatedDescriptors.system as? any MachineSystem }

    /// Sleeps between a thread's calls on a loop, so that the loop can begin to wait. Do not use it to synchronize: the
    /// result of a check must not depend on the duration.
    package static func pause(_ duration: Duration) {
        if simulated != nil {
            _ = ParkingSpot().park(nanoseconds: duration.saturatedNanoseconds)
            return
        }
        reactive_pause_ns(max(0, duration.saturatedNanoseconds))
    }

    static let isSanitized = reactive_is_sanitized()

    /// The number of rounds: `count`, or a tenth of it under a sanitizer.
    package static func rounds(_ count: Int) -> Int { isSanitized ? max(1, count / 10) : count }

    /// Capabilities that this machine or this build lacks, for every loop.
    static let absent: [Capability: String] = {
        var absent: [Capability: String] = [:]
        if !isSanitized { absent[.sanitizer] = "this build has none; make tsan and make asan use one" }
        if reactive_is_thread_sanitized() {
            absent[.forks] =
                "ThreadSanitizer does not support a child that goes on after a fork of several threads; make test and "
                + "make asan check this"
        }
        if !hasIPv6 { absent[.ipv6] = "the kernel has no IPv6 loopback address" }
        return absent
    }()

    private static var hasIPv6: Bool {
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        if descriptor < 0 { return false }
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }

    /// The maximum number of peers in the queue of a listener (`net.core.somaxconn`).
    package static var listenQueueLimit: Int {
        if simulated != nil { return 4096 }
        return ProcessResources.firstLine("/proc/sys/net/core/somaxconn").flatMap { Int($0) } ?? 128
    }

    /// The processor time that all threads of the process have used.
    static var processTime: Duration { .nanoseconds(reactive_process_time_ns()) }

    /// The processor time that the calling thread has used.
    package static var threadTime: Duration { .nanoseconds(reactive_thread_time_ns()) }

    /// The number of times that the calling thread has waited.
    static var threadWaits: Int { Int(reactive_thread_waits()) }

    /// The number of times that all threads of the process have waited.
    static var processWaits: Int { Int(reactive_process_waits()) }

    package static var isMainThread: Bool { reactive_is_main_thread() }

    /// The number of bytes that malloc has allocated. It is 0 under a sanitizer, which has another malloc.
    package static var heapInUse: Int { Int(reactive_heap_in_use()) }

    /// The value of an environment variable. It is `nil` if the variable is unset or empty.
    package static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }

    /// Sets an environment variable, which child processes inherit.
    static func setVariable(_ name: String, to value: String) { unsafe setenv(name, value, 1) }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Ends the process without running exit handlers.
    static func exit(_ code: Int32) -> Never { _exit(code) }

    /// A random seed, for a run whose command line contains none.
    static var freshSeed: UInt64 { UInt64(truncatingIfNeeded: reactive_monotonic_ns()) % 1_000_000 }
}

extension Platform {
    /// Ends the process normally, with exit handlers.
    static func end(_ code: Int32) -> Never { Glibc.exit(code) }
}
