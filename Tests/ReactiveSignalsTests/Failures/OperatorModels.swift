// SPDX-License-Identifier: MIT
import ReactiveCore

/// A queue that pauses its input when it is full, and resumes it at half of its limit.
struct ModelQueue {
    let limit: Int
    private(set) var isHolding = false
    private(set) var items: [(value: Int, due: Int)] = []

    init(limit: Int) { self.limit = limit }

    mutating func append(_ value: Int, due: Int = 0) {
        items.append((value, due))
        if items.count >= limit { isHolding = true }
    }

    mutating func removeFirst() -> Int {
        let value = items.removeFirst().value
        if items.count * 2 <= limit { isHolding = false }
        return value
    }
}

final class DelayModel: OperatorModel {
    private let interval: Int
    private var queue: ModelQueue
    private var end: Int?

    init(_ interval: Int, limit: Int) {
        self.interval = interval
        queue = ModelQueue(limit: limit)
    }

    override func wants(_ input: Int) -> Bool { !queue.isHolding }

    override func receive(_ value: Int, _ input: Int, _ reference: Reference) {
        queue.append(value, due: reference.now + interval)
    }

    override func completed(_ input: Int, _ reference: Reference) { end = reference.now + interval }

    override func tick(_ reference: Reference) {
        while let first = queue.items.first, first.due <= reference.now {
            reference.emit(queue.removeFirst())
            reference.refill()
        }
        if let end, end <= reference.now { reference.end(.completed) }
    }
}

/// At most one value in any span of `interval`.
final class RateLimitModel: OperatorModel {
    private let interval: Int
    private var queue: ModelQueue
    private var last: Int?
    private var isEnding = false

    init(_ interval: Int, limit: Int) {
        self.interval = interval
        queue = ModelQueue(limit: limit)
    }

    override func wants(_ input: Int) -> Bool { !queue.isHolding }

    override func receive(_ value: Int, _ input: Int, _ reference: Reference) {
        queue.append(value)
        tick(reference)
    }

    override func completed(_ input: Int, _ reference: Reference) {
        isEnding = true
        tick(reference)
    }

    override func tick(_ reference: Reference) {
        while !queue.items.isEmpty, reference.now >= last.map({ $0 + interval }) ?? 0 {
            last = reference.now
            reference.emit(queue.removeFirst())
            reference.refill()
        }
        if isEnding, queue.items.isEmpty { reference.end(.completed) }
    }
}

/// A debounced value waits until there has been no other for `interval`. A throttled value waits until the next one
/// may be sent.
final class LatestModel: OperatorModel {
    enum Kind { case debounce, throttle, collect }

    private let kind: Kind
    private let interval: Int
    private var pending: [Int] = []
    private var due = 0
    private var isEnding = false

    init(_ kind: Kind, _ interval: Int) {
        self.kind = kind
        self.interval = interval
    }

    override func receive(_ value: Int, _ input: Int, _ reference: Reference) {
        switch kind {
        case .debounce:
            pending = [value]
            due = reference.now + interval
        case .throttle:
            pending = [value]
            tick(reference)
        case .collect:
            if pending.isEmpty { due = reference.now + interval }
            pending.append(value)
        }
    }

    override func completed(_ input: Int, _ reference: Reference) {
        if kind == .throttle, !pending.isEmpty {
            isEnding = true
        } else {
            send(reference)
            reference.end(.completed)
        }
    }

    override func tick(_ reference: Reference) {
        if reference.now >= due { send(reference) }
    }

    private func send(_ reference: Reference) {
        guard let last = pending.last else { return }
        reference.emit(kind == .collect ? OperatorModel.sum(pending) : last)
        pending = []
        if kind == .throttle { due = reference.now + interval }
        if isEnding { reference.end(.completed) }
    }
}

extension OperatorModel {
    /// Combines several numbers into one.
    static func sum(_ values: [Int]) -> Int { values.reduce(0) { $0 &* 31 &+ $1 } }
}

final class HopModel: OperatorModel {
    private var queue: [Reference.Item] = []

    override func receive(_ value: Int, _ input: Int, _ reference: Reference) { queue.append(.value(value)) }
    override func completed(_ input: Int, _ reference: Reference) { queue.append(.ended(.completed)) }
    override func failed(_ failure: TestError, _ reference: Reference) { queue.append(.ended(.failed(failure))) }

    override func tick(_ reference: Reference) {
        while let first = queue.first {
            switch first {
            case .value(let value):
                if reference.pauses > 0 { return }
                reference.emit(value)
            case .ended(let termination): reference.end(termination)
            }
            queue.removeFirst()
        }
    }
}

final class ZipModel: OperatorModel {
    private var lanes = [ModelQueue(limit: 16), ModelQueue(limit: 16)]
    private var isOver = [false, false]

    init() { super.init(inputs: 2) }

    override func wants(_ input: Int) -> Bool { !lanes[input].isHolding }

    override func receive(_ value: Int, _ input: Int, _ reference: Reference) {
        lanes[input].append(value)
        guard lanes.allSatisfy({ !$0.items.isEmpty }) else { return }
        let wasHolding = lanes.map(\.isHolding)
        let pair = [lanes[0].removeFirst(), lanes[1].removeFirst()]
        reference.emit(OperatorModel.sum(pair))
        if (0..<2).contains(where: { isOver[$0] && lanes[$0].items.isEmpty }) { reference.end(.completed) }
        // An input that resumes may fail before the next value of the other input.
        for lane in 0..<2 where wasHolding[lane] && wants(lane) { reference.pump(lane) }
    }

    override func completed(_ input: Int, _ reference: Reference) {
        isOver[input] = true
        if lanes[input].items.isEmpty { reference.end(.completed) }
    }
}

final class CombineLatestModel: OperatorModel {
    private var latest: [Int?] = [nil, nil]
    private var open = 2

    init() { super.init(inputs: 2) }

    override func receive(_ value: Int, _ input: Int, _ reference: Reference) {
        latest[input] = value
        if let first = latest[0], let second = latest[1] { reference.emit(OperatorModel.sum([first, second])) }
    }

    override func completed(_ input: Int, _ reference: Reference) {
        open -= 1
        if open == 0 || latest[input] == nil { reference.end(.completed) }
    }
}
