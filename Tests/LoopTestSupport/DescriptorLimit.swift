import Glibc

/// The first descriptor number that this process may not have.
package enum DescriptorLimit {
    package static var current: Int { Int(clamping: limits.rlim_cur) }

    /// Sets it, to the most that is allowed if that is less.
    package static func set(_ count: Int) {
        var limits = limits
        limits.rlim_cur = min(limits.rlim_max, rlim_t(count))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    }

    /// Lets the process open `count` more descriptors, if all numbers after the next one are free.
    package static func leave(_ count: Int) {
        let next = dup(0)
        close(next)
        set(Int(next) + count)
    }

    private static var limits: rlimit {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        return limits
    }
}
