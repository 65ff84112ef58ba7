import ReactiveCore

extension Signal {
    /// Writes a line for everything that happens: subscribed, each value, the end, disposed; with a number for each
    /// subscription, so that several can be told apart.
    ///
    /// `name` stands for the signal, by default where the call is. `write` takes the lines, by default to the standard
    /// output; it is called on whatever thread an event comes.
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
