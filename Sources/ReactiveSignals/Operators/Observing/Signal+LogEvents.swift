// SPDX-License-Identifier: MIT
import ReactiveCore

extension Signal {
    /// Logs a line for each event: subscription, value, termination, disposal. Each line includes the number of the
    /// subscription, counted from 1.
    ///
    /// - Parameters:
    ///   - name: The signal's name in the log. The default is the file and line of the call.
    ///   - file: The file for the default name.
    ///   - line: The line for the default name.
    ///   - write: Receives the lines, on the thread of the event. The default prints them to standard output.
    public func logEvents(
        _ name: String? = nil,
        file: String = #fileID,
        line: Int = #line,
        to write: @escaping @Sendable (String) -> Void = { print($0) }
    ) -> Signal {
        let name = name ?? "\(file):\(line)"
        let count = Counter()
        return Signal(start: { [start] sink, subscription in
            let label = "\(name) #\(count.next())"
            let logged = Signal(start: start).handleEvents(
                onSubscribe: { write("\(label) subscribed") },
                onValue: { write("\(label) value \($0)") },
                onTermination: { termination in
                    switch termination {
                    case .completed: write("\(label) completed")
                    case .failed(let failure): write("\(label) failed: \(failure)")
                    }
                },
                onDispose: { write("\(label) disposed") }
            )
            logged.start(sink, subscription)
        })
    }
}
