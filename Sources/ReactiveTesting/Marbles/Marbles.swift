/// What happens over time, as a line of characters, each of them a frame.
///
/// `-` is a frame in which nothing happens, a letter or digit a value, `|` completion, `#` a failure, `^` a subscription and
/// `!` its disposal. What is in parentheses happens in one frame, in that order: `-(ab|)-` are three frames. Blanks stand for
/// nothing; they are there to line things up. In a line with values the frames are counted from `^`: what is before it has
/// passed.
public struct Marbles: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// One thing that happens.
    public enum Mark: Sendable, Hashable {
        case value(Character)
        case completed
        case failed
        case subscribed
        case disposed
    }

    /// What happens in one frame, in order; the list is ordered by frames, and no frame is in it twice.
    public struct Cell: Sendable, Hashable {
        /// Which frame: the first is zero, or the one of `^`.
        public var frame: Int
        /// What happens in it.
        public var marks: [Mark]
    }

    /// The frames in which something happens.
    public private(set) var cells: [Cell] = []

    /// Reads a line; one that makes no sense traps, and says where.
    public init(_ line: String) {
        var frame = 0
        var group: [Mark]?
        var origin = 0
        for (place, character) in line.enumerated() {
            switch character {
            case " ": continue
            case "(":
                precondition(group == nil, "'\(line)': a group in a group, at \(place)")
                group = []
            case ")":
                precondition(group != nil, "'\(line)': no group to end, at \(place)")
                add(group ?? [], at: frame)
                group = nil
                frame += 1
            case "-":
                precondition(group == nil, "'\(line)': no time passes within a group, at \(place)")
                frame += 1
            default:
                let mark = Mark(character, in: line, at: place)
                if mark == .subscribed { origin = frame }
                if group == nil {
                    add([mark], at: frame)
                    frame += 1
                } else {
                    group?.append(mark)
                }
            }
        }
        precondition(group == nil, "'\(line)': a group that does not end")
        // A line of a subscription alone has no other beginning than its own.
        let isSubscription = cells.allSatisfy { $0.marks.allSatisfy { $0 == .subscribed || $0 == .disposed } }
        for index in cells.indices where !isSubscription { cells[index].frame -= origin }
    }

    /// Reads a line.
    public init(stringLiteral line: String) { self.init(line) }

    /// Makes the line of what happens: each mark with its frame, in order.
    public init(_ marks: [(frame: Int, mark: Mark)]) {
        for (frame, mark) in marks { add([mark], at: frame) }
    }

    /// The line, as short as it can be: it ends with the last thing that happens.
    public var description: String {
        var line = ""
        var next = min(0, cells.first?.frame ?? 0)
        for cell in cells {
            line += String(repeating: "-", count: cell.frame - next) + cell.description
            next = cell.frame + 1
        }
        return line
    }

    private mutating func add(_ marks: [Mark], at frame: Int) {
        if marks.isEmpty { return }
        if cells.last?.frame == frame {
            cells[cells.count - 1].marks += marks
        } else {
            precondition(frame > cells.last?.frame ?? .min, "what happens must be given in its order")
            cells.append(Cell(frame: frame, marks: marks))
        }
    }
}

extension Marbles.Mark: CustomStringConvertible {
    /// The character that stands for it.
    public var description: String {
        switch self {
        case .value(let character): String(character)
        case .completed: "|"
        case .failed: "#"
        case .subscribed: "^"
        case .disposed: "!"
        }
    }

    fileprivate init(_ character: Character, in line: String, at place: Int) {
        switch character {
        case "|": self = .completed
        case "#": self = .failed
        case "^": self = .subscribed
        case "!": self = .disposed
        default:
            precondition(
                character.isLetter || character.isNumber || character == "?",
                "'\(line)': '\(character)' at \(place) means nothing; a value is a letter or a digit"
            )
            self = .value(character)
        }
    }
}

extension Marbles.Cell: CustomStringConvertible {
    /// What happens in the frame, in parentheses where it is several things.
    public var description: String {
        let text = marks.map(\.description).joined()
        return marks.count == 1 ? text : "(\(text))"
    }
}
