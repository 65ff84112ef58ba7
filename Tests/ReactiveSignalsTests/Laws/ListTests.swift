import Foundation
import Testing

/// Who adds an operator adds it to the list, so that the laws are tested on it, and to the table, so that it is found.
@Suite struct ListTests {
    @Test func everyOperatorIsInTheListOfCases() throws {
        let declared = try OperatorList.declared()
        #expect(declared.count > 70)
        let listed = Set(OperatorCase.all.map(\.signature)).union(OperatorList.notCases)
        #expect(declared.subtracting(listed).sorted() == [])
        let noOperators: Set = ["none", "apply", "chain", "Signal(source)"]
        #expect(listed.subtracting(declared).subtracting(noOperators).sorted() == [])
    }

    @Test func everyOperatorIsInTheTable() throws {
        let table = try String(
            contentsOf: OperatorList.root.appendingPathComponent("Docs/Operators.md"),
            encoding: .utf8
        )
        let missing = try OperatorList.declared().filter { !table.contains("`\($0)`") }
        #expect(missing.sorted() == [])
    }

    @Test func everyTestInTheTablesIsThere() throws {
        let tests = OperatorList.root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.allObjects ?? []
        var code = ""
        for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/.build/") {
            code += try String(contentsOf: file, encoding: .utf8)
        }
        for name in ["Operators.md", "Seeds.md", "Reentrancy.md"] {
            let text = try String(contentsOf: OperatorList.root.appendingPathComponent("Docs/\(name)"), encoding: .utf8)
            // A test is named in the last column, as Suite/test.
            for match in text.matches(of: /`(\w+)\/(\w+)`/) {
                #expect(code.contains("func \(match.output.2)("), "\(name) names \(match.output.0)")
                #expect(code.contains("struct \(match.output.1)"), "\(name) names \(match.output.0)")
            }
        }
    }

    @Test func signaturesAreRead() {
        let text = """
            extension Signal {
                /// public func no()
                public func one<New: Sendable>(_ a: @escaping (Int, Int) -> New, b: [Int] = [], c d: Int) -> Signal { self }
                public static func two() -> Signal { .empty }
                func three() {}
            }
            public func four() {}
            """
        #expect(OperatorList.signatures(in: text) == ["one(_:b:c:)", "two()"])
    }
}
