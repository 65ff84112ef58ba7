import Glibc

/// The first descriptor number that this process may not have.
///
/// Safe: the system's calls get a local variable and keep no pointer.
package enum DescriptorLimit {
    package static var current: Int { Int(clamping: limits.rlim_cur) }

    /// Sets it, to the most that is allowed if that is less.
    package static func set(_ count: Int) {
        var limits = limits
        limits.rlim_cur = min(limits.rlim_max, rlim_t(count))
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    }

    /// Raises it to 4096 where it is lower, or to the most that is allowed.
    package static func raise() { set(max(current, 4096)) }

    /// Lets the process open `count` more descriptors. The next numbers need not follow each other: what the process has
    /// inherited may lie between.
    package static func leave(_ count: Int) {
        let next = (0...count).map { _ in dup(0) }
        for descriptor in next where descriptor >= 0 { close(descriptor) }
        // Not lower than need be: `poll` refuses more descriptors than the limit.
        if let first = next.last, first >= 0 { set(Int(first)) }
    }

    private static var limits: rlimit {
        var limits = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        return limits
    }
}
