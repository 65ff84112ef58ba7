// SPDX-License-Identifier: MIT
import ReactiveCore

final class MergeModel: OperatorModel {
    private var open = 2

    init() { super.init(inputs: 2) }

    override func completed(_ input: Int, _ reference: Reference) {
        open -= 1
        if open == 0 { reference.end(.completed) }
    }
}

/// Two inputs that are merged before another operator.
final class MergedModel: OperatorModel {
    private let next: OperatorModel
    private var open = 2

    init(_ next: OperatorModel) {
        self.next = next
        super.init(inputs: 2)
    }

    override func wants(_ input: Int) -> Bool { next.wants(0) }
    override func receive(_ value: Int, _ input: Int, _ reference: Reference) { next.receive(value, 0, reference) }
    override func failed(_ failure: TestError, _ reference: Reference) { next.failed(failure, reference) }
    override func tick(_ reference: Reference) { next.tick(reference) }
    override func resumed(_ reference: Reference) { next.resumed(reference) }

    override func completed(_ input: Int, _ reference: Reference) {
        open -= 1
        if open == 0 { next.completed(0, reference) }
    }
}

/// `flatMap`, whose inner signals send each value again `1 + value % 3` seconds after their subscription, or never.
final class FlatMapModel: OperatorModel {
    enum Strategy { case concurrent(Int), latest, first }

    private struct Inner {
        let value: Int
        let due: Int
        var isReady = false
    }

    private let strategy: Strategy
    private let isEndless: Bool
    private var running: [Inner] = []
    private var waiting: [Int] = []
    private var isOuterOver = false
    /// Whether the source is still paused, because inner signals resume first.
    private var isResuming = false

    init(_ strategy: Strategy, isEndless: Bool = false) {
        self.strategy = strategy
        self.isEndless = isEndless
    }

    override func wants(_ input: Int) -> Bool {
        if case .concurrent(let limit) = strategy { running.count + waiting.count < limit } else { true }
    }

    override func receive(_ value: Int, _ input: Int, _ reference: Reference) {
        switch strategy {
        case .concurrent: waiting.append(value)
        case .latest: (running, waiting) = ([], [value])
        case .first: if running.isEmpty { waiting = [value] }
        }
        proceed(reference)
    }

    override func completed(_ input: Int, _ reference: Reference) {
        isOuterOver = true
        proceed(reference)
    }

    override var resumesFirst: Bool { if case .concurrent = strategy { true } else { false } }

    override func tick(_ reference: Reference) {
        for index in running.indices where running[index].due <= reference.now { running[index].isReady = true }
        if reference.pauses == 0 { send(running.filter(\.isReady), reference) }
    }

    /// Inner signals are notified in the order of their subscriptions.
    override func resumed(_ reference: Reference) {
        isResuming = resumesFirst
        send(running.filter(\.isReady), reference)
        isResuming = false
    }

    private func send(_ ready: [Inner], _ reference: Reference) {
        for inner in ready where running.contains(where: { $0.value == inner.value }) {
            reference.emit(inner.value)
            running.removeAll { $0.value == inner.value }
            proceed(reference)
            if !isResuming { reference.settle() }
        }
    }

    private func proceed(_ reference: Reference) {
        let limit = if case .concurrent(let limit) = strategy { limit } else { 1 }
        while running.count < limit, !waiting.isEmpty {
            let value = waiting.removeFirst()
            let due = isEndless ? .max : reference.now + 1 + value % 3
            running.append(Inner(value: value, due: due))
        }
        if isOuterOver, running.isEmpty, waiting.isEmpty { reference.end(.completed) }
    }
}
