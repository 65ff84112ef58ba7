// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSupport
    import Testing

    @testable import ReactiveNATS

    @Suite struct LivenessTests {
        /// One interval: what both sides do.
        private struct Interval {
            var sends = false
            var answers = false
            /// The number of bytes that the client sends.
            var publishes = 0
            /// The largest number of bytes that the server's system takes.
            var takes = Int.max
        }

        /// The number of the interval after which the server counts as gone, from 1. `nil` if it is kept.
        private func end(_ intervals: [Interval]) -> Int? {
            var liveness = Liveness()
            var (sent, acknowledged, isPinged) = (0, 0, false)
            for (index, interval) in intervals.enumerated() {
                sent += interval.publishes
                acknowledged += min(interval.takes, sent - acknowledged)
                if interval.sends || interval.answers { liveness.hasReceived() }
                if interval.answers && isPinged {
                    liveness.hasAnswered(next: nil)
                    isPinged = false
                }
                if liveness.endInterval(sent: sent, acknowledged: acknowledged) != nil { return index + 1 }
                if isPinged { continue }
                sent += 6
                liveness.hasPinged(at: sent)
                isPinged = true
            }
            return nil
        }

        private func end(of interval: Interval) -> Int? { end(Array(repeating: interval, count: 50)) }

        @Test("A server that leaves without a word is noticed, and a slow one is not")
        func servers() {
            #expect(end(of: Interval()) == 4)
            // The system of a stopped server takes the pings, and what is published after them.
            #expect(end(of: Interval(publishes: 100)) == 4)
            #expect(end(of: Interval(publishes: 100, takes: 99)) == 4)
            #expect(end(of: Interval(takes: 0)) == 4)
            #expect(end(of: Interval(sends: true, publishes: 100, takes: 0)) == 4)
            #expect(end(of: Interval(sends: true)) == 12)
            #expect(end(of: Interval(sends: true, publishes: 100)) == 12)
            #expect(end(of: Interval(answers: true)) == nil)
            // The ping is behind bytes that a slow server takes little by little.
            let slow = Array(repeating: Interval(takes: 100), count: 40)
            #expect(end([Interval(publishes: 4000, takes: 100)] + slow.prefix(39)) == nil)
            #expect(end([Interval(publishes: 4000, takes: 100)] + slow + slow) == 44)
        }

        @Test("A server that does something in every third interval is kept", arguments: 0..<100)
        func pauses(seed: Int) {
            var random = SplitMix64(seed: UInt64(seed))
            var intervals: [Interval] = []
            for _ in 0..<100 {
                let pause = Interval(publishes: Int.random(in: 0...100, using: &random), takes: 0)
                intervals += Array(repeating: pause, count: Int.random(in: 0...2, using: &random))
                intervals.append(Interval(answers: true, publishes: Int.random(in: 0...100, using: &random)))
            }
            #expect(end(intervals) == nil)
        }
    }
#endif
