// SPDX-License-Identifier: MIT
import Foundation
import MarblePictures

/// Writes the pages and the pictures into a folder that docc reads.
struct Catalog {
    private let folder: URL
    /// The names of the files that docc has written for the operators.
    private let pages: [String]

    init(folder: URL, pages: [String]) throws {
        (self.folder, self.pages) = (folder, pages)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Writes the pages of the operators, and one page with all of them.
    func writeOperators() throws {
        var page = "# What each operator does\n\n\(Self.legend)"
        for (title, pictures) in Picture.groups {
            page += "\n## \(title)\n"
            for picture in pictures { page += try section(picture) }
        }
        try save(page, "Operators.md")
        for (signature, pictures) in Dictionary(grouping: Picture.operators, by: \.signature) {
            let suffixes = suffixes(of: signature)
            if suffixes.isEmpty { throw MissingPage(signature: signature) }
            for suffix in suffixes {
                var page = "# ``ReactiveSignals/Signal/\(signature)\(suffix)``\n"
                for picture in pictures { page += "\n![\(try summary(of: picture))](\(picture.fileName))\n" }
                try save(page, "\(pictures[0].fileName)\(suffix)-page.md")
            }
        }
    }

    /// Writes the page of the command strategies.
    func writeStrategies() throws {
        var page = "# ``ReactiveCommands/CommandStrategy``\n\n## What each strategy does\n\n\(Self.legend)"
        for picture in Picture.strategies { page += try section(picture) }
        try save(page, "CommandStrategy-page.md")
    }

    private static let legend = """
        Time goes from left to right. Each line is a subscription: it begins where it is subscribed to, `|` is completion, a cross
        a failure, and a stroke is where a source is let go of before its end; what it would have sent is faint. Below the box is
        what comes out of the expression in it. Each picture is drawn from what happened when that expression ran in virtual
        time, one second each step, and each is a test.

        """

    /// A heading with the picture's name, followed by the picture.
    private func section(_ picture: Picture) throws -> String {
        try draw(picture, picture.fileName)
        return "\n### \(picture.name)\n\n![\(try summary(of: picture))](\(picture.fileName))\n"
    }

    /// The suffixes that docc adds to overloads with the same name.
    private func suffixes(of signature: String) -> [String] {
        pages.compactMap { file in
            let page = file.replacingOccurrences(of: ".json", with: "")
            guard page != signature.lowercased() else { return "" }
            guard page.hasPrefix(signature.lowercased() + "-") else { return nil }
            return String(page.dropFirst(signature.count))
        }
    }

    private func draw(_ picture: Picture, _ file: String) throws {
        let (performance, expression) = (try Performance(picture), try picture.expression())
        for (suffix, palette) in [("", Palette.light), ("~dark", .dark)] {
            var drawing = Drawing(performance, expression, palette)
            try save(drawing.svg(), file + suffix + ".svg")
        }
    }

    /// A description of the picture as alternative text.
    private func summary(of picture: Picture) throws -> String {
        let inputs = picture.inputs.map { "\($0.name): \($0.line)" }.joined(separator: ", ")
        let expression = try picture.expression().replacingOccurrences(of: "\n", with: " ")
        let text = "\(inputs.isEmpty ? "" : inputs + "; ")\(expression) gives \(picture.output)"
        return text.replacingOccurrences(of: "[", with: "(").replacingOccurrences(of: "]", with: ")")
    }

    private func save(_ text: String, _ name: String) throws {
        try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
}

/// The error for an operator that has a picture but no page.
struct MissingPage: Error {
    let signature: String
}

extension Picture {
    /// The operator's name and labels, in characters that a file name may contain.
    var fileName: String {
        var name = ""
        for character in self.name {
            if character.isLetter || character.isNumber || character == "_" {
                name.append(character)
            } else if name.last != "-", !name.isEmpty {
                name.append("-")
            }
        }
        while name.last == "-" { name.removeLast() }
        return name
    }
}
