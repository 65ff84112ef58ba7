// SPDX-License-Identifier: MIT
import Foundation
import MarblePictures
import Testing

/// The lists that must contain each new operator (.github/CONTRIBUTING.md, "Add an operator").
@Suite struct ListTests {
    @Test func everyOperatorIsInTheListOfCases() throws {
        let declared = try OperatorList.declared()
        #expect(declared.count > 70)
        let listed = Set(OperatorCase.all.map(\.signature)).union(OperatorList.notCases)
        for operation in declared.subtracting(listed).sorted() {
            Issue.record(
                """
                \(operation) has no case: add one to Support/OperatorCase+Lists.swift, or the name to notCases in \
                Support/OperatorList.swift if the laws cannot be tested on it
                """
            )
        }
        let noOperators: Set = ["none", "apply", "chain", "Signal(source)"]
        for operation in listed.subtracting(declared).subtracting(noOperators).sorted() {
            Issue.record(
                """
                \(operation) is listed but not declared: correct Support/OperatorCase+Lists.swift, or notCases in \
                Support/OperatorList.swift
                """
            )
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

    @Test func everyOperatorIsOnTheProductPage() throws {
        let path = "Sources/ReactiveSignals/ReactiveSignals.docc/Signal.md"
        let page = try String(contentsOf: OperatorList.root.appendingPathComponent(path), encoding: .utf8)
        // DocC does not show the overloads for two failure types, which `merge(_:)` describes (Decision 0035).
        let hidden = ["merge(_:_:)"]
        for operation in try OperatorList.declared(in: ["ReactiveSignals"]).sorted() where !hidden.contains(operation) {
            let symbol = operation.replacingOccurrences(of: "Signal(", with: "init(")
            // The links of overloads end with a hyphen and what tells them apart.
            if page.contains("- ``\(symbol)``") || page.contains("- ``\(symbol)-") { continue }
            Issue.record("\(operation) has no entry: add - ``\(symbol)`` to \(path)")
        }
    }

    /// `make unspecialised` calls the cases, the pictures, and the rest.
    @Test func everyOperatorIsCalledWithoutSpecialisation() throws {
        let path = "Tests/Checks/Unspecialised/Rest.swift"
        let rest = try String(contentsOf: OperatorList.root.appendingPathComponent(path), encoding: .utf8)
        let called = Set(OperatorCase.all.map(\.signature)).union(Picture.operators.map(\.signature))
            .union(rest.matches(of: /call\("([^" ]+)/).map { String($0.output.1) })
        for operation in try OperatorList.declared().subtracting(called).sorted() {
            Issue.record("\(operation) has neither a case nor a picture: add a call of it to \(path)")
        }
    }

    @Test func everyCitedTestIsThere() throws {
        let tests = OperatorList.root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.allObjects ?? []
        var sources: [String] = []
        for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/.build/") {
            sources.append(try String(contentsOf: file, encoding: .utf8))
        }
        for path in ["Docs/Operators.md", "Docs/Seeds.md", "Docs/Reentrancy.md", ".github/CONTRIBUTING.md"] {
            let text = try String(contentsOf: OperatorList.root.appendingPathComponent(path), encoding: .utf8)
            // Tests are named as Suite/test. A folder begins with a capital.
            for match in text.matches(of: /`(\w+)\/([a-z]\w*)`/) {
                let (suite, test) = (match.output.1, match.output.2)
                // A suite may continue in extensions, each in a file of its own.
                let isThere = sources.contains { source in
                    source.contains("func \(test)(")
                        && (source.contains("struct \(suite) ") || source.contains("extension \(suite) "))
                }
                #expect(isThere, "\(path) names \(match.output.0), but no file of Tests has that test in that suite")
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
