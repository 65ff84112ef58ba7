// SPDX-License-Identifier: MIT
import SchedulerConformance
import Testing

/// Properties of our loops beyond the rule book, which ConformanceTests checks. The tests run one at a time, because
/// process signals affect the whole process.
@Suite(.serialized)
enum Loops {
    /// A descriptor number so high that no other test that runs now gets it. Each test has its own `offset`. The numbers
    /// stay below 4096, because with a limit of a billion the kernel's table of descriptors would need gigabytes.
    static func highNumber(_ offset: Int32) -> Int32 { Int32(min(DescriptorLimit.current, 4096)) - offset }
}
