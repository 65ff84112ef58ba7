// SPDX-License-Identifier: MIT
import Foundation
import Testing

/// The lists that must contain each new operator (.github/CONTRIBUTING.md, "Add an operator").
@Suite struct ListTests {
    @Test func everyOperatorIsInTheListOfCases() throws {
        let declared = try OperatorList.declared()
        #expect(declared.count > 70)
        let listed = Set(OperatorCase.all.map(\.signature)).union(OperatorList.notCases)
        for operation in declared.subtracting(listed).sorted() {
            Issue.record("\(operation) has no case: add it to Support/OperatorCase+Lists.swift")
        }
        let noOperators: Set = ["none", "apply", "chain", "Signal(source)"]
        for operation in listed.subtracting(declared).subtracting(noOperators).sorted() {
            Issue.record("\(operation) has a case but no declaration: correct Support/OperatorCase+Lists.swift")
        }
    }

    @Test func everyOperatorIsInTheTable() throws {
        let table = try String(
            contentsOf: OperatorList.root.appendingPathComponent("Docs/Operators.md"),
            encoding: .utf8
        )
        for operation in try OperatorList.declared().sorted() where !table.contains("`\(operation)`") {
            Issue.record("\(operation) has no row: add it to Docs/Operators.md")
        }
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
            // The last column names tests as Suite/test.
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
            extension SignalSubscription {
                public func five() {}
            }
            extension Signal<Int, Never> {
                public var six: Signal { self }
                public static var seven: Signal { .empty }
                public init<S: Sequence & Sendable>(eight: S) where S.Element == Value {}
                @inlinable public consuming func nine<T>(_ a: T) -> Signal<T, Never> { .never }
            }
            """
        let expected = ["one(_:b:c:)", "two()", "six", "seven", "Signal(eight:)", "nine(_:)"]
        #expect(OperatorList.signatures(in: text) == expected)
    }
}
