// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCommands
import ReactiveCore
import ReactiveSupport
import SchedulerConformance

/// A service in virtual time: clients that do not wait for replies, a limit, a queue, and slots that work in parallel.
///
/// Times are in seconds. The loads are multiples of the capacity.
struct OverloadedSystem {
    enum Spread: CaseIterable {
        /// Each request takes the same time.
        case none
        /// The times are distributed exponentially.
        case exponential
        /// One request in ten takes eleven times as long as the others.
        case bimodal
    }

    struct Result {
        var answered = 0
        var rejected = 0
        /// The number of requests that a service without any loss would have answered.
        var possible = 0.0
        /// The times of the answered requests, from arrival to answer.
        var latencies: [Double] = []
        /// The limit at the end of each second.
        var limits: [Int] = []

        var goodput: Double { Double(answered) / possible }
        func latency(_ part: Double) -> Double {
            latencies.sorted()[min(latencies.count - 1, Int(part * Double(latencies.count)))]
        }
    }

    private struct Request {
        var arrival: Double
        /// The instant at which the limit admitted it.
        var begun: LoopInstant
        var end = 0.0
    }

    var slots: (Double) -> Int = { _ in 8 }
    var service: (Double) -> Double = { _ in 0.01 }
    var load: (Double) -> Double = { _ in 2 }
    var spread = Spread.none
    var seconds = 60.0
    /// Which part of the requests ends by its client before it is answered.
    var aborts = 0.0
    /// By how many seconds the instants of two threads may be out of order.
    var disorder = 0.0
    var seed: UInt64 = 1

    func run(_ limit: ConcurrencyLimit?) -> Result {
        var (limit, random, result) = (limit, SplitMix64(seed: seed), Result())
        var (queue, head): ([Request], Int) = ([], 0)
        var working: [Request] = []
        var (now, arrival, second) = (0.0, 0.0, 1.0)
        while now < seconds {
            let next = working.indices.min { working[$0].end < working[$1].end }
            if let next, working[next].end <= arrival {
                let request = working.remove(at: next)
                now = request.end
                let isAborted = Double.random(in: 0..<1, using: &random) < aborts
                limit?.end(
                    isAborted ? .ignored : .completed,
                    begun: request.begun,
                    at: instant(now, &random)
                )
                if !isAborted {
                    result.answered += 1
                    result.latencies.append(now - request.arrival)
                }
            } else {
                now = arrival
                let load = load(now)
                let gap = Self.exponential(&random) * service(now) / Double(slots(now)) / load
                arrival += gap
                result.possible += min(1, 1 / load) * (1 - aborts)
                let begun = instant(now, &random)
                if limit?.begin(at: begun) ?? true {
                    queue.append(Request(arrival: now, begun: begun))
                } else {
                    result.rejected += 1
                }
            }
            while working.count < slots(now), head < queue.count {
                queue[head].end = now + service(now) * spread.factor(&random)
                working.append(queue[head])
                head += 1
            }
            if now >= second {
                result.limits.append(limit?.limit ?? 0)
                second += 1
            }
        }
        return result
    }

    private func instant(_ seconds: Double, _ random: inout SplitMix64) -> LoopInstant {
        Self.instant(disorder > 0 ? seconds - Double.random(in: 0..<disorder, using: &random) : seconds)
    }

    static func instant(_ seconds: Double) -> LoopInstant { LoopInstant(nanoseconds: Int64(seconds * 1e9)) }

    static func exponential(_ random: inout SplitMix64) -> Double {
        -log(1 - Double.random(in: 0..<1, using: &random))
    }
}

extension OverloadedSystem.Spread {
    /// A random factor whose mean is 1.
    func factor(_ random: inout SplitMix64) -> Double {
        switch self {
        case .none: 1
        case .exponential: OverloadedSystem.exponential(&random)
        case .bimodal: Double.random(in: 0..<1, using: &random) < 0.1 ? 5.5 : 0.5
        }
    }
}
