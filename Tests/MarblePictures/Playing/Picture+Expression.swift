// SPDX-License-Identifier: MIT
import Foundation

extension Picture {
    /// The source text of the closure that is played.
    package func expression() throws -> String {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let rest = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(line - 1).joined(
            separator: "\n"
        )
        guard let start = rest.firstRange(of: /\{\s*on in/) else { throw MissingExpression(name: name) }
        var depth = 1
        var body = ""
        for character in rest[start.upperBound...] {
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            if depth == 0 { break }
            body.append(character)
        }
        let lines = body.split(separator: "\n").map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
        let margin = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { $0.dropFirst(margin).replacingOccurrences(of: "on.", with: "") }
            .map { $0.replacingOccurrences(of: "return ", with: "").trimmingSuffix() }
            .joined(separator: "\n")
    }
}

/// The error for a picture whose closure does not begin with `{ on in`.
struct MissingExpression: Error {
    let name: String
}

extension String {
    fileprivate func trimmingSuffix() -> String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
