// SPDX-License-Identifier: MIT
import Foundation
import MarblePictures
import ReactiveSignals
import ReactiveTesting
import Testing

/// Plays each picture of the documentation and compares its output.
@Suite struct PictureTests {
    @Test("A picture shows the actual output", arguments: Picture.all)
    func itShowsWhatHappens(_ picture: Picture) throws {
        let performance = try Performance(picture)
        if let text = performance.difference(from: picture) { Issue.record(Comment(rawValue: "\n" + text)) }
        #expect(try picture.expression().contains(picture.name.prefix { $0 != "(" }))
    }

    @Test("Every operator has a picture")
    func everyOperatorHasOne() throws {
        // Operators that leave the world of signals, sources whose name says everything, and further overloads.
        let none: Set = [
            "empty", "never", "Signal(just:)", "Signal(values:)", "Signal(result:)", "Signal(trying:)", "Signal(_:)",
            "Signal(async:)",
            "bind(to:)", "values", "values(limit:)", "first()", "last()", "allValues()",
            "subscribe(onMain:onTermination:)",
            // Pictures of signals need no commands. Docs/Commands.md shows these.
            "execute(_:order:limit:whenFull:whenDisposed:onError:)",
            "execute(order:limit:whenFull:whenDisposed:choosing:onError:)",
            "merge(_:_:)", "combineLatest(_:_:_:)", "combineLatest(_:_:_:_:)", "combineLatest(_:_:_:_:_:)",
            "combineLatest(_:_:_:_:_:_:)", "zip(_:_:_:)", "zip(_:_:_:_:)", "zip(_:_:_:_:_:)", "zip(_:_:_:_:_:_:)",
        ]
        let missing = try OperatorList.declared().subtracting(Picture.operators.map(\.signature)).subtracting(none)
        #expect(missing.sorted() == [])
        #expect(Set(Picture.all.map(\.name)).count == Picture.all.count)
    }

    @Test("Every strategy has a picture")
    func everyStrategyHasOne() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/ReactiveCommands/CommandStrategy.swift")
        let declared = try String(contentsOf: file, encoding: .utf8)
            .matches(of: /public static (?:let|func) (\w+)/).map { String($0.output.1) }
        #expect(declared.count >= 4)
        for strategy in declared {
            #expect(Picture.strategies.contains { $0.name.hasPrefix("Command(.\(strategy)") }, "\(strategy)")
        }
    }

    @Test("A picture is drawn as well-formed XML", arguments: Picture.all)
    func itIsDrawnAsWellFormedXML(_ picture: Picture) throws {
        for palette in [Palette.light, .dark] {
            var drawing = Drawing(try Performance(picture), try picture.expression(), palette)
            let svg = drawing.svg()
            #expect(svg.hasPrefix("<svg "))
            // The drawing contains each value of the output.
            for (_, mark) in try Performance(picture).output.marks {
                if case .value(let label) = mark { #expect(svg.contains(">\(label)</text>"), "\(label)") }
            }
        }
    }

    /// A picture whose output line is wrong.
    @Test("A wrong picture is reported with both lines")
    func whatDiffersIsTold() throws {
        let wrong = Picture("map(_:)", ["a": "-a-b-|"], "-A-b-|") { on in on.a.map { $0.uppercased() } }
        #expect(
            try Performance(wrong).difference(from: wrong)
                == "expected  1: A, 3: b, 5: |\nreceived  1: A, 3: B, 5: |"
        )
    }
}
