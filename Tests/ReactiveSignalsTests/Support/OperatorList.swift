// SPDX-License-Identifier: MIT
import Foundation

/// The public operators that the sources declare. The list of cases and the table in Docs are compared with them.
enum OperatorList {
    /// Functions in extensions of `Signal` that are no operators, or that forward to another operator.
    static let notCases = [
        // Composed of listed operators only.
        "replaceValues(with:)", "setFailureType(to:)", "setValueType(to:)", "negate()", "and(_:)", "or(_:)", "all(_:)",
        "any(_:)", "merge(_:_:)",
        // The list contains their variants for any number of signals.
        "combineLatest(_:_:)", "combineLatest(_:_:_:)", "combineLatest(_:_:_:_:)", "combineLatest(_:_:_:_:_:)",
        "combineLatest(_:_:_:_:_:_:)", "combineLatestAll(_:)",
        "zip(_:_:)", "zip(_:_:_:)", "zip(_:_:_:_:)", "zip(_:_:_:_:_:)", "zip(_:_:_:_:_:_:)", "zipAll(_:)",
        // Sources.
        "just(_:)", "fail(_:)", "interval(_:startingAfter:on:leeway:)", "interval(values:every:on:)",
        "timer(after:on:)", "perform(on:_:)", "empty", "never", "Signal(just:)", "Signal(values:)", "Signal(result:)",
        "Signal(trying:)",
        "Signal(_:)", "Signal(async:)",
        // Functions that leave the world of signals.
        "bind(to:)", "values", "values(limit:)", "first()", "last()", "allValues()",
        "subscribe(onMain:onTermination:)",
    ]

    /// The ways to subscribe with closures, which are no operators.
    static let subscribing = ["subscribe(onValue:", "subscribe(onTermination:", "subscribe(in:", "subscribe(onMain:)"]

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The signatures of all public functions, properties and initializers in extensions of `Signal`.
    static func declared(in modules: [String] = ["ReactiveSignals", "ReactiveCommands"]) throws -> Set<String> {
        var all: Set<String> = []
        for module in modules {
            let sources = root.appendingPathComponent("Sources/\(module)")
            let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
            for case let file as URL in files where file.pathExtension == "swift" {
                all.formUnion(signatures(in: try String(contentsOf: file, encoding: .utf8)))
            }
        }
        return all.filter { signature in !subscribing.contains { signature.hasPrefix($0) } }
    }

    static func signatures(in text: String) -> [String] {
        var isInExtension = false
        var code = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.starts(with: /(public )?extension Signal[ :<]/) { isInExtension = true }
            if isInExtension, !line.drop(while: { $0 == " " }).hasPrefix("//") { code += line + "\n" }
            if line.hasPrefix("}") { isInExtension = false }
        }
        let declaration = /\bpublic (?:(?:static|consuming|borrowing|nonisolated) )*(func|var|init)\b/
        return code.matches(of: declaration).map { match in
            let text = code[match.range.upperBound...].drop { $0 == " " }
            switch match.output.1 {
            case "func": return signature(of: text)
            case "var": return text.prefix { $0 != ":" }.replacingOccurrences(of: "`", with: "")
            default: return "Signal" + signature(of: text.drop { $0 == "?" })
            }
        }
    }

    /// Returns the name and labels of the declaration at the start of the text.
    private static func signature(of text: Substring) -> String {
        let name = text.prefix { $0 != "(" && $0 != "<" }.replacingOccurrences(of: "`", with: "")
        var depth = 0
        var label = ""
        var labels: [String] = []
        var isInLabel = false
        var last: Character = " "
        for character in text.drop(while: { $0 != "(" }) {
            switch character {
            case "(", "[", "<": depth += 1
            case ")", "]": depth -= 1
            case ">" where last != "-": depth -= 1
            default: break
            }
            last = character
            if depth == 0 { return name + "(" + labels.map { $0 + ":" }.joined() + ")" }
            if depth == 1, character == "(" || character == "," {
                isInLabel = true
                label = ""
            } else if isInLabel, character == ":" || (character == " " && !label.isEmpty) {
                isInLabel = false
                labels.append(label)
            } else if isInLabel, !character.isWhitespace {
                label.append(character)
            }
        }
        return String(name)
    }
}
