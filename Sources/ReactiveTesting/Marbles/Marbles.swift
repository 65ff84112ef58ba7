// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Events over time, as a line of characters. Each character is one frame.
///
/// - `-` is a frame without events.
/// - A letter or a digit is a value.
/// - `|` is completion, `#` a failure.
/// - `^` is a subscription, `!` its disposal.
/// - Parentheses put several events into one frame, in order: `-(ab|)-` is three frames.
/// - Blanks are ignored. Use them to align lines.
///
/// If a line has `^` and at least one value or termination, frames are counted from `^`. Frames before it are negative.
public struct Marbles: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// One event.
    public enum Mark: Sendable, Hashable {
        /// A value, by the character that stands for it.
        case value(Character)
        /// Completion: `|`.
        case completed
        /// A failure: `#`.
        case failed
        /// A subscription: `^`.
        case subscribed
        /// The disposal of the subscription: `!`.
        case disposed
    }

    /// The events of one frame, in order.
    public struct Cell: Sendable, Hashable {
        /// The number of the frame. Frame zero is the first one. In a line that has `^` and a value or a termination,
        /// it is the one of `^`.
        public var frame: Int
        /// The events of the frame.
        public var marks: [Mark]
    }

    /// The frames that have events, in order. Each frame occurs once.
    public private(set) var cells: [Cell] = []

    /// Parses a line.
    ///
    /// Traps, naming the position, if the line has an unknown character, a group inside a group, a `-` inside a group,
    /// or a `)` without a group. Also traps if a group does not end.
    public init(_ line: String) {
        var frame = 0
        var group: [Mark]?
        var origin = 0
        for (index, character) in line.enumerated() {
            switch character {
            case " ": continue
            case "(":
                require(group == nil, "'\(line)': '(' at \(index) is inside a group: end that group first")
                group = []
            case ")":
                require(group != nil, "'\(line)': ')' at \(index) ends no group: begin one with '('")
                add(group ?? [], at: frame)
                group = nil
                frame += 1
            case "-":
                require(
                    group == nil,
                    "'\(line)': '-' at \(index) is inside a group: move the '-' out, because a group takes one frame"
                )
                frame += 1
            default:
                let mark = Mark(character, in: line, at: index)
                if mark == .subscribed { origin = frame }
                if group == nil {
                    add([mark], at: frame)
                    frame += 1
                } else {
                    group?.append(mark)
                }
            }
        }
        require(group == nil, "'\(line)': the last group does not end: add ')'")
        // A line with only subscriptions and disposals counts from its first character.
        let isSubscription = cells.allSatisfy { $0.marks.allSatisfy { $0 == .subscribed || $0 == .disposed } }
        for index in cells.indices where !isSubscription { cells[index].frame -= origin }
    }

    /// Parses a line. Traps like the initializer with a `String`.
    public init(stringLiteral line: String) { self.init(line) }

    /// Creates a line from marks and their frames. Traps if a frame is before the previous one.
    public init(_ marks: [(frame: Int, mark: Mark)]) {
        for (frame, mark) in marks { add([mark], at: frame) }
    }

    /// The shortest form of the line, which ends with the last event.
    ///
    /// More than 10,000 frames without events in succession are written as their number: `a …86400 frames… b`. Such a
    /// text is not a valid line.
    public var description: String {
        var line = ""
        var next = min(0, cells.first?.frame ?? 0)
        for cell in cells {
            let count = Self.emptyFrames(from: next, to: cell.frame)
            line += count > Self.longest ? " …\(count) frames… " : String(repeating: "-", count: Int(count))
            line += cell.description
            next = cell.frame &+ 1
        }
        return line
    }

    /// How many frames in succession are written one by one.
    static var longest: UInt { 10_000 }

    /// The number of frames from `next` to the one before `frame`. The distance may exceed `Int.max`.
    static func emptyFrames(from next: Int, to frame: Int) -> UInt { UInt(bitPattern: frame &- next) }

    /// The line without its subscriptions and disposals, which a recorder does not record.
    var received: Marbles {
        var line = Marbles([])
        for cell in cells { line.add(cell.marks.filter { $0 != .subscribed && $0 != .disposed }, at: cell.frame) }
        return line
    }

    private mutating func add(_ marks: [Mark], at frame: Int) {
        if marks.isEmpty { return }
        if cells.last?.frame == frame {
            cells[cells.count - 1].marks += marks
        } else {
            require(
                cells.last.map { frame > $0.frame } ?? true,
                "marks must be in the order of their frames: frame \(frame) follows a later frame"
            )
            cells.append(Cell(frame: frame, marks: marks))
        }
    }
}

extension Marbles.Mark: CustomStringConvertible {
    /// The character that stands for the event.
    public var description: String {
        switch self {
        case .value(let character): String(character)
        case .completed: "|"
        case .failed: "#"
        case .subscribed: "^"
        case .disposed: "!"
        }
    }

    fileprivate init(_ character: Character, in line: String, at index: Int) {
        switch character {
        case "|": self = .completed
        case "#": self = .failed
        case "^": self = .subscribed
        case "!": self = .disposed
        default:
            require(
                character.isLetter || character.isNumber || character == "?",
                "'\(line)': '\(character)' at \(index) means nothing: use a letter or a digit for a value"
            )
            self = .value(character)
        }
    }
}

extension Marbles.Cell: CustomStringConvertible {
    /// The events of the frame, in parentheses if there are several.
    public var description: String {
        let text = marks.map(\.description).joined()
        return marks.count == 1 ? text : "(\(text))"
    }
}
