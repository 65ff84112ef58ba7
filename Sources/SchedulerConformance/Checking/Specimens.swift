import ReactiveCore
import ReactiveSupport

/// Where something of a check's was made. What is left of them when the check is over has been kept by somebody.
final class Birth: Sendable {
    /// Everything of this process's that lives, by the place where it was made.
    private static let living = Lock<[String: Int]>([:])

    private let place: String

    init(_ what: String, _ file: StaticString, _ line: Int) {
        let place = "\(what) of \(file):\(line)"
        self.place = place
        Self.living.withLock { living in living[place, default: 0] += 1 }
    }

    deinit {
        Self.living.withLock { [place] living in
            living[place, default: 0] -= 1
            if living[place] == 0 { living[place] = nil }
        }
    }

    static var left: [String: Int] { living.withLock { living in living } }
}

/// A variable that any thread may read and change.
package final class Box<Value: Sendable>: Sendable {
    private let stored: Lock<Value>
    private let birth: Birth

    package init(_ value: Value, file: StaticString = #fileID, line: Int = #line) {
        stored = Lock(value)
        birth = Birth("a variable", file, line)
    }

    package var value: Value {
        get { stored.withLock { stored in stored } }
        set {
            // The old one goes outside the lock: it may be the last reference to something.
            let old = stored.withLock { stored in
                let old = stored
                stored = newValue
                return old
            }
            _ = old
        }
    }

    /// Changes it, and gives the result.
    @discardableResult
    package func update<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        stored.withLock { stored in body(&stored) }
    }
}

extension Box<Int> {
    @discardableResult
    package func increment() -> Int {
        update { value in
            value += 1
            return value
        }
    }
}

/// Remembers values in the order in which they came, from any thread.
package final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Lock<[Value]>([])
    private let birth: Birth

    package init(file: StaticString = #fileID, line: Int = #line) { birth = Birth("a recorder", file, line) }

    package func append(_ value: Value) { recorded.withLock { recorded in recorded.append(value) } }

    package var values: [Value] { recorded.withLock { recorded in recorded } }

    package var count: Int { recorded.withLock { recorded in recorded.count } }

    package func clear() {
        let old = recorded.withLock { recorded in
            let old = recorded
            recorded = []
            return old
        }
        _ = old
    }
}

/// Says when it is let go of: for closures that have to be released.
package final class Canary: Sendable {
    private let gone: @Sendable () -> Void
    private let birth: Birth

    package init(file: StaticString = #fileID, line: Int = #line, _ gone: @escaping @Sendable () -> Void) {
        self.gone = gone
        birth = Birth("a closure", file, line)
    }

    deinit { gone() }

    /// Something to do with it inside a closure, so that the closure holds it.
    package func sing() {}
}

/// Opens when it has been told so a number of times.
package final class Latch: Sendable {
    private let left: Lock<Int>
    private let spot = ParkingSpot()
    private let birth: Birth

    package init(_ count: Int = 1, file: StaticString = #fileID, line: Int = #line) {
        left = Lock(count)
        birth = Birth("a latch", file, line)
    }

    package func arrive() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { spot.unpark() }
    }

    package var isOpen: Bool { missing <= 0 }

    package var missing: Int { left.withLock { left in left } }

    /// Blocks the thread until it is open; false where it was not in time. One thread at a time waits.
    func wait(_ limit: Duration) -> Bool {
        let deadline = Machine.now + limit
        while !isOpen {
            let left = (deadline - Machine.now).saturatedNanoseconds
            if left <= 0 { return false }
            _ = spot.park(nanoseconds: left)
        }
        return true
    }
}

/// A thread that runs one closure and can be waited for.
package final class Worker: Sendable {
    private let thread: SystemThread

    package init(_ body: @escaping @Sendable () -> Void) {
        thread = SystemThread.orTrap(name: "kit-worker", body)
    }

    package func join() { thread.join() }
}
