// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

/// The limit of this process's descriptor numbers.
///
/// Safe: the system calls receive a local variable and keep no pointer.
package enum DescriptorLimit {
    package static var current: Int { Platform.simulated?.descriptorLimit ?? Int(clamping: limits.rlim_cur) }

    /// Sets the limit to `count`, or to the hard limit if that is less.
    package static func set(_ count: Int) {
        if let machine = Platform.simulated {
            machine.descriptorLimit = count
            return
        }
        var limits = limits
        limits.rlim_cur = min(limits.rlim_max, rlim_t(count))
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    }

    /// Raises a limit below 4096 to 4096, or to the hard limit.
    package static func raise() { set(max(current, 4096)) }

    /// The number of descriptors that a check may open: `most`, or as many as the limit permits, but at least 24. A loop and
    /// a library may open some descriptors later.
    static func room(for most: Int) -> Int { min(most, max(24, current - Descriptor.all.count - 16)) }

    /// Lets the process open `count` more descriptors. The free numbers may have gaps, because of inherited
    /// descriptors.
    package static func leave(_ count: Int) {
        if let machine = Platform.simulated {
            let open = machine.openDescriptors
            var free = SimulatedDescriptors.first
            for _ in 0..<count {
                while open[free] != nil { free += 1 }
                free += 1
            }
            return set(Int(free - SimulatedDescriptors.first))
        }
        let next = (0...count).map { _ in dup(0) }
        for descriptor in next where descriptor >= 0 { close(descriptor) }
        // The limit is not lower than necessary, because `poll` refuses more descriptors than the limit.
        if let first = next.last, first >= 0 { set(Int(first)) }
    }

    /// Whether the process can open no descriptor.
    package static var isReached: Bool {
        if let machine = Platform.simulated {
            let (open, first) = (machine.openDescriptors, SimulatedDescriptors.first)
            return (first..<first + Int32(machine.descriptorLimit)).allSatisfy { open[$0] != nil }
        }
        let next = dup(0)
        if next >= 0 { close(next) }
        return next < 0 && errno == EMFILE
    }

    private static var limits: rlimit {
        var limits = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        return limits
    }
}
