// SPDX-License-Identifier: MIT
import ConformanceLoops
import SchedulerConformance
import TLSRules

/// `make conformance`: every rule on every loop of this build, and in virtual time. The rules of TLS are checked too.
@main
enum Program {
    static func main() {
        Conformance.main(ConformanceLoops.all.map { TLSRules.describe($0) }, rules: Rule.all + TLSRules.all)
    }
}
