// SPDX-License-Identifier: MIT
import ReactiveCore

/// A minimal implementation of laws 9 and 11: inputs that store paused values, the model of an operator, and the
/// values that the subscriber's pause delays.
final class Reference {
    typealias Item = Event<Int, TestError>

    private(set) var log: [Item] = []
    private(set) var pauses = 0
    private(set) var now = 0
    private let model: OperatorModel
    /// Whether a failure of an input always stays behind the values of that input.
    private let keepsOrder: Bool
    private var pending: [[Item]]
    private var hasEnded: [Bool]
    private var held: [Item] = []
    private var isOver = false

    init(_ model: OperatorModel, keepsOrder: Bool) {
        self.model = model
        self.keepsOrder = keepsOrder
        pending = Array(repeating: [], count: model.inputs)
        hasEnded = Array(repeating: false, count: model.inputs)
    }

    // MARK: Operations of a program

    func send(_ item: Item, to input: Int) {
        guard !hasEnded[input] else { return }
        if case .ended = item { hasEnded[input] = true }
        pending[input].append(item)
        pump(input)
        settle()
    }

    func pause() { pauses += 1 }

    func resume() {
        guard pauses > 0 else { return }
        pauses -= 1
        guard pauses == 0 else { return }
        flush()
        if !isOver, model.resumesFirst { model.resumed(self) }
        for input in 0..<model.inputs where model.wants(input) { pump(input) }
        if !isOver, !model.resumesFirst { model.resumed(self) }
        settle()
    }

    func advance(by seconds: Int) {
        for step in 0...seconds {
            if step > 0 { now += 1 }
            if !isOver { model.tick(self) }
            settle()
        }
    }

    // MARK: Operations of a model

    func emit(_ value: Int) {
        if isOver { return }
        held.append(.value(value))
        flush()
    }

    func end(_ termination: Termination<TestError>) {
        if isOver { return }
        isOver = true
        held.append(.ended(termination))
        flush()
    }

    // MARK: The laws

    /// Law 11: values wait for the resume, and the termination waits behind them.
    private func flush() {
        while let first = held.first {
            if pauses > 0, case .value = first { return }
            log.append(held.removeFirst())
        }
    }

    /// Sends the events that an input may send. Law 9: if only the operator pauses the input, a failure does not
    /// wait.
    func pump(_ input: Int, isRefill: Bool = false) {
        while !isOver, let first = pending[input].first {
            switch first {
            case .ended where isRefill: return
            case .value(let value):
                if pauses == 0, model.wants(input) {
                    pending[input].removeFirst()
                    model.receive(value, input, self)
                } else if pauses == 0, !keepsOrder, !isRefill, case .ended(.failed(let failure)) = pending[input].last {
                    pending[input] = []
                    model.failed(failure, self)
                } else {
                    return
                }
            case .ended(.completed):
                pending[input].removeFirst()
                model.completed(input, self)
            case .ended(.failed(let failure)):
                pending[input].removeFirst()
                model.failed(failure, self)
            }
        }
    }

    /// Sends values that the operator has room for while it is working. A failure waits until the operator has
    /// finished.
    func refill() {
        for input in 0..<model.inputs { pump(input, isRefill: true) }
    }

    func settle() {
        for input in 0..<model.inputs { pump(input) }
    }
}

/// The model of an operator. This base class forwards every event.
class OperatorModel {
    let inputs: Int

    init(inputs: Int = 1) { self.inputs = inputs }

    func wants(_ input: Int) -> Bool { true }
    func receive(_ value: Int, _ input: Int, _ reference: Reference) { reference.emit(value) }
    func completed(_ input: Int, _ reference: Reference) { reference.end(.completed) }
    func failed(_ failure: TestError, _ reference: Reference) { reference.end(.failed(failure)) }
    /// Runs the work that is due now.
    func tick(_ reference: Reference) {}
    /// Whether the operator resumes its inner signals before its source.
    var resumesFirst: Bool { false }
    /// Called when the subscriber has resumed.
    func resumed(_ reference: Reference) {}
}
