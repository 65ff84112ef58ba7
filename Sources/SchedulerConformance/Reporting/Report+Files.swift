// SPDX-License-Identifier: MIT
import ReactiveCore

extension Report {
    /// JSON: one object, with a list of results.
    var json: String {
        let all = results.map { result in
            var parts = result.parts.map { key, text in (key, Self.quote(text)) }
            parts.insert(("seconds", "\(Self.seconds(result))"), at: 2)
            if !result.isInOrder {
                parts.append(("trace", "[" + result.trace.map(Self.quote).joined(separator: ", ") + "]"))
            }
            return "    {" + parts.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
        }
        let names = loops.map(Self.quote).joined(separator: ", ")
        return "{\n  \"seed\": \(seed),\n  \"loops\": [\(names)],\n  \"results\": [\n"
            + all.joined(separator: ",\n") + "\n  ]\n}\n"
    }

    /// JUnit XML: a suite for each loop, a case for each rule.
    var junit: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"conformance\">\n"
        for loop in loops {
            let own = results.filter { $0.loop == loop }
            let failed = own.count { !$0.isInOrder }
            let skipped = own.count { if case .skipped = $0.verdict { true } else { false } }
            text += "  <testsuite name=\(Self.attribute(loop)) tests=\"\(own.count)\" failures=\"\(failed)\" "
            text += "skipped=\"\(skipped)\">\n"
            for result in own { text += testCase(result) }
            text += "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    private func testCase(_ result: RuleResult) -> String {
        let statement = rules.first { $0.id == result.rule }?.statement ?? ""
        let head =
            "    <testcase classname=\(Self.attribute(result.loop)) "
            + "name=\(Self.attribute("\(result.rule): \(statement)")) time=\"\(Self.seconds(result))\""
        switch result.verdict {
        case .passed: return head + "/>\n"
        case .skipped(let reason), .deviates(let reason):
            return head + "><skipped message=\(Self.attribute(reason))/></testcase>\n"
        case .failed(let failure):
            let body = "<failure message=\(Self.attribute(failure.seen))>\(Self.escape("\(result)"))</failure>"
            return head + ">" + body + "</testcase>\n"
        }
    }

    private static func seconds(_ result: RuleResult) -> Double {
        Double(result.duration.saturatedNanoseconds / 1_000_000) / 1000
    }

    private static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func attribute(_ text: String) -> String { "\"\(escape(text))\"" }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n": escaped += "&#10;"
            // XML 1.0 cannot represent these characters.
            case _ where scalar.value < 0x20: escaped += "?"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
