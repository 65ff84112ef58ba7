import ReactiveCore
import ReactiveTesting

/// What happened when a picture was played: what is compared, and what is drawn.
package struct Performance: Sendable {
    /// One thing that happened.
    package enum Mark: Sendable, Hashable {
        case value(String)
        case completed, failed
    }

    /// A line of time.
    package struct Row: Sendable {
        package var name: String
        /// The frame in which it was subscribed to, and the one in which it was disposed.
        package var start: Int
        package var end: Int?
        package var marks: [(frame: Int, mark: Mark)]
    }

    /// A row for each time that a source was subscribed to.
    package let inputs: [Row]
    package let output: Row

    /// Plays a picture, for as many frames as it takes.
    package init(_ picture: Picture) throws {
        let stage = Stage(picture)
        let recorder = stage.time.record(picture.make(stage))
        try stage.time.advance(by: stage.time.frame * 40)
        func frame(_ time: Duration) -> Int { Int((time / stage.time.frame).rounded(.down)) }
        output = Row(
            name: "",
            start: 0,
            end: recorder.termination == nil ? nil : recorder.events.last.map { frame($0.time) },
            marks: recorder.events.map { timed in
                switch timed.event {
                case .value(let label): (frame(timed.time), .value(label))
                case .ended(.completed): (frame(timed.time), .completed)
                case .ended(.failed): (frame(timed.time), .failed)
                }
            }
        )
        inputs = picture.inputs.flatMap { input in
            (stage.sources[input.name]?.subscriptions ?? []).map { span in
                Row(
                    name: input.name,
                    start: frame(span.start),
                    end: span.end.map(frame),
                    marks: input.line.marks.map { (frame(span.start) + $0.frame, $0.mark) }
                )
            }
        }
    }

    /// How what came out differs from what the picture says; nil if it does not.
    package func difference(from picture: Picture) -> String? {
        let expected = picture.output.marks.map { frame, mark -> String in
            guard case .value(let letter) = mark else { return "\(frame): \(mark.text)" }
            return "\(frame): \(picture.labels[Character(letter)] ?? letter)"
        }
        let received = output.marks.map { "\($0.frame): \($0.mark.text)" }
        if expected == received { return nil }
        return "expected  \(expected.joined(separator: ", "))\nreceived  \(received.joined(separator: ", "))"
    }
}

extension Performance.Mark {
    /// What stands for it in a text.
    package var text: String {
        switch self {
        case .value(let label): label
        case .completed: "|"
        case .failed: "#"
        }
    }
}

extension Marbles {
    /// What happens, one after the other.
    fileprivate var marks: [(frame: Int, mark: Performance.Mark)] {
        cells.flatMap { cell in
            cell.marks.compactMap { mark -> (frame: Int, mark: Performance.Mark)? in
                switch mark {
                case .value(let letter): (cell.frame, .value(String(letter)))
                case .completed: (cell.frame, .completed)
                case .failed: (cell.frame, .failed)
                case .subscribed, .disposed: nil
                }
            }
        }
    }
}
