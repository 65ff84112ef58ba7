// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSupport
    import Testing

    @testable import ReactiveNATS

    @Suite struct LivenessTests {
        /// One interval: what the server does, and what waits for it.
        private struct Interval {
            var sends = false
            var answers = false
            var takes = 0
            var areWaiting = false
            var isPinged = true
        }

        /// The number of the interval after which the server counts as gone, from 1, and why.
        private func end(_ intervals: [Interval]) -> (number: Int, why: String)? {
            var liveness = Liveness()
            var acknowledged = 0
            for (index, interval) in intervals.enumerated() {
                acknowledged += interval.takes
                if interval.sends || interval.answers { liveness.hasReceived() }
                if interval.answers { liveness.hasAnswered() }
                let why = liveness.endInterval(
                    acknowledged: acknowledged,
                    areWaiting: interval.areWaiting,
                    isPinged: interval.isPinged
                )
                if let why { return (index + 1, why) }
            }
            return nil
        }

        private func end(of interval: Interval) -> Int? { end(Array(repeating: interval, count: 50))?.number }

        @Test("A server that leaves without a word is noticed, and a slow one is not")
        func servers() {
            #expect(end(of: Interval()) == 4)
            // The system of a stopped server takes the pings.
            #expect(end(of: Interval(takes: 6)) == 4)
            #expect(end(of: Interval(takes: 6, isPinged: false)) == 4)
            #expect(end(of: Interval(sends: true, areWaiting: true)) == 4)
            #expect(end(of: Interval(sends: true)) == 11)
            #expect(end(of: Interval(sends: true, takes: 6)) == 11)
            #expect(end(of: Interval(answers: true)) == nil)
            #expect(end(of: Interval(takes: 1000, areWaiting: true)) == nil)
            #expect(end(of: Interval(sends: true, isPinged: false)) == nil)
        }

        @Test("A server that does something in every third interval is kept", arguments: 0..<100)
        func pauses(seed: Int) {
            var random = SplitMix64(seed: UInt64(seed))
            var intervals: [Interval] = []
            for _ in 0..<100 {
                let pause = Interval(areWaiting: Bool.random(using: &random))
                intervals += Array(repeating: pause, count: Int.random(in: 0...2, using: &random))
                intervals.append(Interval(answers: true, takes: 1, areWaiting: Bool.random(using: &random)))
            }
            #expect(end(intervals) == nil)
        }
    }
#endif
