// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

extension PollerLoop: MeasuredLoop where Back: ~Copyable {
    package func beginMeasuring() throws(LoopError) {
        try core.withState("beginMeasuring") { state in state.beginMeasuring(core.clock) }
    }

    package func endMeasuring() throws(LoopError) {
        try core.withState("endMeasuring") { state in state.endMeasuring() }
    }

    package func measurements() throws(LoopError) -> LoopMeasurements {
        let counts = try statistics()
        return try core.withState("measurements") { state in
            var all = LoopMeasurements()
            (all.timers, all.watches, all.signalHandlers) = (counts.timers, counts.watches, counts.signalHandlers)
            (all.work, all.turns) = (counts.work, counts.turns)
            all.lengths = state.meter?.lengths
            return all
        }
    }
}
