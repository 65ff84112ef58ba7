// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension TestScheduler {
    /// Creates a cold source: each subscriber receives the events of the line, counted in frames from its subscription.
    /// Events before `^` are due immediately.
    ///
    /// - Parameters:
    ///   - line: The events. Subscriptions and disposals in it are ignored.
    ///   - values: The values of the letters. A letter without a value traps.
    ///   - failure: The failure that `#` stands for.
    public func cold<Value: Sendable, Failure: Error>(
        _ line: Marbles,
        values: [Character: Value],
        failure: Failure
    ) -> TestSource<Value, Failure> {
        cold(events(line, failure: failure) { value(of: $0, in: values) })
    }

    /// Creates a hot source: it sends the events of the line to all current subscribers, from now on. `^` stands for
    /// the current instant, and earlier events are dropped.
    ///
    /// - Parameters:
    ///   - line: The events. Subscriptions and disposals in it are ignored.
    ///   - values: The values of the letters. A letter without a value traps.
    ///   - failure: The failure that `#` stands for.
    public func hot<Value: Sendable, Failure: Error>(
        _ line: Marbles,
        values: [Character: Value],
        failure: Failure
    ) -> TestSource<Value, Failure> {
        hot(events(line, failure: failure) { value(of: $0, in: values) })
    }

    /// Creates a cold source that cannot fail: `#` in the line traps. Apart from that, it behaves like
    /// ``cold(_:values:failure:)``.
    public func cold<Value: Sendable>(_ line: Marbles, values: [Character: Value]) -> TestSource<Value, Never> {
        cold(events(line, failure: Never?.none) { value(of: $0, in: values) })
    }

    /// Creates a hot source that cannot fail: `#` in the line traps. Apart from that, it behaves like
    /// ``hot(_:values:failure:)``.
    public func hot<Value: Sendable>(_ line: Marbles, values: [Character: Value]) -> TestSource<Value, Never> {
        hot(events(line, failure: Never?.none) { value(of: $0, in: values) })
    }

    /// Creates a cold source whose values are the line's characters. `#` in the line stands for `failure`.
    public func cold<Failure: Error>(_ line: Marbles, failure: Failure) -> TestSource<Character, Failure> {
        cold(events(line, failure: failure) { $0 })
    }

    /// Creates a hot source whose values are the line's characters. `#` in the line stands for `failure`.
    public func hot<Failure: Error>(_ line: Marbles, failure: Failure) -> TestSource<Character, Failure> {
        hot(events(line, failure: failure) { $0 })
    }

    /// Creates a cold source whose values are the line's characters. It cannot fail: `#` in the line traps.
    public func cold(_ line: Marbles) -> TestSource<Character, Never> {
        cold(events(line, failure: Never?.none) { $0 })
    }

    /// Creates a hot source whose values are the line's characters. It cannot fail: `#` in the line traps.
    public func hot(_ line: Marbles) -> TestSource<Character, Never> { hot(events(line, failure: Never?.none) { $0 }) }

    private func events<Value: Sendable, Failure: Error>(
        _ line: Marbles,
        failure: Failure?,
        _ value: (Character) -> Value
    ) -> [TimedEvent<Value, Failure>] {
        line.timed(frame).compactMap { time, mark in
            switch mark {
            case .value(let letter): return .value(value(letter), at: time)
            case .completed: return .completed(at: time)
            case .failed:
                guard let failure else {
                    trap("'\(line)': this source cannot fail: pass 'failure:' for its '#'")
                }
                return .failed(failure, at: time)
            case .subscribed, .disposed: return nil
            }
        }
    }
}

/// Returns the value of a letter. Traps if the letter has none.
private func value<Value>(of letter: Character, in values: [Character: Value]) -> Value {
    guard let value = values[letter] else { trap("no value is given for '\(letter)': add it to 'values'") }
    return value
}

extension Marbles {
    fileprivate func timed(_ frame: Duration) -> [(Duration, Mark)] {
        cells.flatMap { cell in cell.marks.map { (frame * cell.frame, $0) } }
    }

    /// Creates a line from marks and their times. A time within a frame counts as the frame's beginning.
    init(_ timed: [(time: Duration, mark: Mark)], frame: Duration) {
        // In whole nanoseconds: a fraction of a nanosecond must not move an event to the previous frame.
        let length = max(1, frame.nearestNanoseconds)
        self.init(
            timed.map { time, mark in
                let (quotient, rest) = time.nearestNanoseconds.quotientAndRemainder(dividingBy: length)
                return (frame: Int(quotient) - (rest < 0 ? 1 : 0), mark: mark)
            }
        )
    }
}

extension EventRecorder {
    /// The received events as a line. `letter` returns the character for a value.
    public func marbles(_ letter: (Value) -> Character) -> Marbles {
        Marbles(
            events.map { timed in
                switch timed.event {
                case .value(let value): (timed.time, .value(letter(value)))
                case .ended(.completed): (timed.time, .completed)
                case .ended(.failed): (timed.time, .failed)
                }
            },
            frame: scheduler.frame
        )
    }
}

extension EventRecorder where Value: Equatable {
    /// The received events as a line, with the letters of `values`. `?` stands for any other value.
    public func marbles(values: [Character: Value]) -> Marbles {
        marbles { value in values.first { $0.value == value }?.key ?? "?" }
    }
}

extension EventRecorder where Value == Character {
    /// The received events as a line.
    public var marbles: Marbles { marbles { $0 } }
}

extension SubscriptionSpan {
    /// The span as a line: `--^-!`.
    public func marbles(frame: Duration) -> Marbles {
        let start: [(time: Duration, mark: Marbles.Mark)] = [(start, .subscribed)]
        return Marbles(start + (end.map { [($0, .disposed)] } ?? []), frame: frame)
    }
}
