internal import CMeasure
internal import Glibc

/// What a program asks of the machine.
public enum Machine {
    /// Nanoseconds of the monotonic clock.
    public static var now: UInt64 { measure_now() }

    /// Nanoseconds of CPU that the process has used.
    public static var cpu: UInt64 { measure_cpu() }

    /// Bytes that malloc has given out and not got back.
    public static var liveBytes: Int { Int(measure_live()) }

    /// Binds the calling thread, and those it makes from now on, to one CPU.
    public static func pin(to cpu: Int) {
        guard measure_pin(Int32(cpu)) else { fail("cannot be bound to CPU \(cpu)") }
    }

    /// As many descriptors as the system allows.
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

/// Ends the program over a wrong command line or a failure of the world.
public func fail(_ message: String) -> Never {
    measure_complain("\(CommandLine.arguments.first ?? "bench"): \(message)\n")
    exit(64)
}

/// Ends the program.
public func finish() -> Never {
    fflush(nil)
    exit(0)
}
