// SPDX-License-Identifier: MIT
package import ReactiveCore
package import ReactiveSignals
package import ReactiveSockets

/// The events that a subscription has received.
package final class Log<Value: Sendable, Failure: Error>: Sendable {
    private let recorded: Recorder<Value>
    private let ended: Recorder<Termination<Failure>>
    package let subscription = SignalSubscription()

    package init(file: StaticString = #fileID, line: Int = #line) {
        recorded = Recorder(file: file, line: line)
        ended = Recorder(file: file, line: line)
    }

    package var values: [Value] { recorded.values }
    package var ends: [Termination<Failure>] { ended.values }
    package var hasEnded: Bool { ended.count > 0 }

    /// The error, if the subscription has ended with one, and with nothing else.
    package var failure: Failure? {
        if ends.count == 1, case .failed(let error)? = ends.first { error } else { nil }
    }

    package func take(_ value: Value) { recorded.append(value) }

    package func take(end: Termination<Failure>) { ended.append(end) }
}

extension Log where Value == Bytes {
    package var bytes: [UInt8] { values.flatMap { Array($0) } }
}

extension Log where Failure == SocketError {
    package var isCompleted: Bool {
        if ends.count == 1, case .completed? = ends.first { true } else { false }
    }

    package var code: SocketError.Code? { failure?.code }
}

extension Signal {
    /// Subscribes, and records all events.
    package func log(file: StaticString = #fileID, line: Int = #line) -> Log<Value, Failure> {
        let log = Log<Value, Failure>(file: file, line: line)
        self.log(into: log)
        return log
    }

    package func log(into log: Log<Value, Failure>) {
        subscribe(in: log.subscription, onValue: { log.take($0) }, onTermination: { log.take(end: $0) })
    }
}
