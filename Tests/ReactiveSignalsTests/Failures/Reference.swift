import ReactiveCore

/// What laws 9 and 11 say of an operator, in as few lines as it takes: inputs that hold what is paused, a model of the operator, and
/// what the subscriber's pause delays.
final class Reference {
    typealias Item = Event<Int, TestError>

    private(set) var log: [Item] = []
    private(set) var pauses = 0
    private(set) var now = 0
    private let model: OperatorModel
    /// Whether a failure of the inputs stays behind their values whatever happens.
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

    // MARK: What a program does

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
        for input in 0..<model.inputs where model.wants(input) { pump(input) }
        if !isOver { model.resumed(self) }
        settle()
    }

    func advance(by seconds: Int) {
        for step in 0...seconds {
            if step > 0 { now += 1 }
            if !isOver { model.tick(self) }
            settle()
        }
    }

    // MARK: What a model does

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

    /// Law 11: values wait for the resume, and the end behind them.
    private func flush() {
        while let first = held.first {
            if pauses > 0, case .value = first { return }
            log.append(held.removeFirst())
        }
    }

    /// An input sends what it may; law 9: where only the operator holds it back, a failure does not wait.
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

    /// What an operator has room for, while it is at work: a failure waits until it has finished.
    func refill() {
        for input in 0..<model.inputs { pump(input, isRefill: true) }
    }

    func settle() {
        for input in 0..<model.inputs { pump(input) }
    }
}

/// An operator as a reference sees it; this one passes everything on.
class OperatorModel {
    let inputs: Int

    init(inputs: Int = 1) { self.inputs = inputs }

    func wants(_ input: Int) -> Bool { true }
    func receive(_ value: Int, _ input: Int, _ reference: Reference) { reference.emit(value) }
    func completed(_ input: Int, _ reference: Reference) { reference.end(.completed) }
    func failed(_ failure: TestError, _ reference: Reference) { reference.end(.failed(failure)) }
    /// Work that is due now.
    func tick(_ reference: Reference) {}
    /// The subscriber has resumed.
    func resumed(_ reference: Reference) {}
}
