// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import SchedulerConformance
import Testing

/// A random program around an operator, generated from a seed.
struct FailureProgram: CustomStringConvertible {
    enum Step {
        case send(Int, input: Int, count: Int)
        case end(Termination<TestError>, input: Int)
        case pause, resume
        case advance(Int)
    }

    let seed: UInt64
    private(set) var steps: [Step] = []

    init(seed: UInt64, inputs: Int) {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        var next = 1
        // With two inputs, only long bursts make one of them far enough ahead to be paused.
        let burst = inputs > 1 ? 12 : 3
        for _ in 0..<24 {
            let input = random.below(inputs)
            switch random.below(100) {
            case ..<52:
                let count = 1 + random.below(burst)
                steps.append(.send(next, input: input, count: count))
                next += count
            case ..<66: steps.append(.advance(1 + random.below(3)))
            case ..<78: steps.append(.pause)
            case ..<91: steps.append(.resume)
            case ..<93: steps.append(.end(.completed, input: input))
            default: steps.append(.end(.failed(.broken), input: input))
            }
        }
        steps += [.resume, .resume, .resume, .advance(200)]
    }

    var description: String { "seed \(seed): " + steps.map { "\($0)" }.joined(separator: ", ") }

    /// Runs the program through the operator and through its model, and compares the events of each step.
    func compare(_ operation: FailureCase, _ route: FailureRoute, _ location: SourceLocation = #_sourceLocation) {
        let model = operation.model()
        let reference = Reference(model, keepsOrder: route.keepsOrder)
        let time = TestScheduler()
        let subjects = (0..<model.inputs).map { _ in Subject<Int, TestError>() }
        let subscription = SignalSubscription()
        let recorder = operation.make(subjects.map { route.make($0.signal) }, time).record(in: subscription)
        var tokens: [any Disposable] = []
        for (index, step) in steps.enumerated() {
            let (expectedBefore, receivedBefore) = (reference.log.count, recorder.events.count)
            switch step {
            case .send(let first, let input, let count):
                for value in first..<first + count {
                    subjects[input].send(value)
                    reference.send(.value(value), to: input)
                }
            case .end(let termination, let input):
                subjects[input].send(termination: termination)
                reference.send(.ended(termination), to: input)
            case .pause where tokens.count < 3:
                tokens.append(subscription.pause())
                reference.pause()
            case .pause: break
            case .resume:
                tokens.popLast()?.dispose()
                reference.resume()
            case .advance(let seconds):
                do { try time.advance(by: .seconds(seconds)) } catch { Issue.record(error) }
                reference.advance(by: seconds)
            }
            let expected = sorted(Array(reference.log[expectedBefore...]), operation)
            let received = sorted(Array(recorder.events[receivedBefore...]), operation)
            if expected == received { continue }
            Issue.record(
                "\(operation.name) of \(route.name), step \(index) \(step): expected \(expected), received \(received); \(self)",
                sourceLocation: location
            )
            return
        }
    }

    private func sorted(_ items: [Reference.Item], _ operation: FailureCase) -> [Reference.Item] {
        guard operation.isUnordered else { return items }
        let values = items.compactMap { if case .value(let value) = $0 { value } else { nil } }.sorted()
        return values.map { .value($0) } + items.filter { if case .ended = $0 { true } else { false } }
    }
}

extension SplitMix64 {
    /// A number from zero up to the limit, exclusive.
    fileprivate mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
