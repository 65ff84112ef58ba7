// SPDX-License-Identifier: MIT
import ConformanceLoops
import SchedulerConformance

/// `make conformance`: every rule on every loop of this build, and in virtual time.
@main
enum Program {
    static func main() { Conformance.main(ConformanceLoops.all) }
}
