// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveTesting

/// The events of a played picture: a test compares them, and a drawing shows them.
package struct Performance: Sendable {
    /// One event.
    package enum Mark: Sendable, Hashable {
        case value(String)
        case completed, failed
    }

    /// One time line.
    package struct Row: Sendable {
        package var name: String
        /// The frame of the subscription and the frame of the disposal.
        package var start: Int
        package var end: Int?
        package var marks: [(frame: Int, mark: Mark)]
    }

    /// One row for each subscription to a source.
    package let inputs: [Row]
    package let output: Row

    /// Plays a picture until 40 frames have passed.
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

    /// Describes how the output differs from the picture. `nil` means that it does not differ.
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
    /// The character of the event in a text.
    package var text: String {
        switch self {
        case .value(let label): label
        case .completed: "|"
        case .failed: "#"
        }
    }
}

extension Marbles {
    /// The events in order.
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
