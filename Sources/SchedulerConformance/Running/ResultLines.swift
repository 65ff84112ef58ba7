// SPDX-License-Identifier: MIT
import ReactiveCore

/// The format in which a child reports a rule's result to its parent. Each part has a line, so that missing parts are
/// detected.
enum ResultLines {
    static func encode(_ result: RuleResult) -> String {
        var lines = result.parts + result.trace.map { ("trace", $0) }
        lines += [("nanoseconds", "\(result.duration.saturatedNanoseconds)"), ("end", "")]
        return lines.map { key, value in "\(key):\(escape(value))\n" }.joined()
    }

    /// Returns `nil` if lines are missing.
    static func decode(_ text: String) -> RuleResult? {
        var values: [String: String] = [:]
        var trace: [String] = []
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let (key, value) = (String(line[..<colon]), unescape(line[line.index(after: colon)...]))
            if key == "trace" { trace.append(value) } else { values[key] = value }
        }
        guard values["end"] != nil, let rule = values["rule"], let loop = values["loop"],
            let nanoseconds = values["nanoseconds"].flatMap({ Int64($0) })
        else { return nil }
        let verdict: RuleResult.Verdict
        switch values["verdict"] {
        case "passed": verdict = .passed
        case "skipped": verdict = .skipped(values["reason"] ?? "")
        case "deviates": verdict = .deviates(values["reason"] ?? "")
        case "failed":
            let (expected, seen) = (values["expected"] ?? "", values["seen"] ?? "")
            verdict = .failed(RuleResult.Failure(expected: expected, seen: seen, trace: trace))
        default: return nil
        }
        return RuleResult(rule: rule, loop: loop, verdict: verdict, duration: .nanoseconds(nanoseconds))
    }

    private static func escape(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\\\"
            case "\n", "\r\n": "\\n"
            default: String(character)
            }
        }.joined()
    }

    private static func unescape(_ text: Substring) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }
}
