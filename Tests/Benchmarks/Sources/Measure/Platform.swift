// SPDX-License-Identifier: MIT
internal import CMeasure
internal import Glibc

/// Clocks, counters and limits of the machine.
public enum Platform {
    /// Nanoseconds of the monotonic clock.
    public static var now: UInt64 { measure_now() }

    /// Nanoseconds of CPU time that the process has used.
    public static var cpu: UInt64 { measure_cpu() }

    /// Bytes that are allocated with malloc and not freed.
    public static var liveBytes: Int { Int(measure_live()) }

    /// Pins the calling thread, and the threads that it creates later, to one CPU.
    public static func pin(to cpu: Int) {
        guard measure_pin(Int32(cpu)) else { fail("cannot be bound to CPU \(cpu)") }
    }

    /// Raises the limit of open descriptors to the maximum.
    public static func raiseDescriptorLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Prints a line and flushes it, so that the reader of a pipe receives it at once.
public func printLine(_ text: String) {
    print(text)
    fflush(nil)
}

/// Exits because of a wrong command line or a system error.
public func fail(_ message: String) -> Never {
    measure_complain("\(CommandLine.arguments.first ?? "bench"): \(message)\n")
    exit(64)
}

/// Exits with success.
public func finish() -> Never {
    fflush(nil)
    exit(0)
}
