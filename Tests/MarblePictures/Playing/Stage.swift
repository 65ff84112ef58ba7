// SPDX-License-Identifier: MIT
import ReactiveCore
package import ReactiveSignals
package import ReactiveTesting

/// The parameter of a picture's expression: the sources by name, and virtual time with one second for each frame.
@dynamicMemberLookup
package struct Stage: Sendable {
    package let time = TestScheduler()
    let sources: [String: TestSource<String, Trouble>]

    init(_ picture: Picture) {
        let time = time
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        let values = Dictionary(uniqueKeysWithValues: letters.map { ($0, String($0)) })
        sources = Dictionary(
            uniqueKeysWithValues: picture.inputs.map { input in
                (input.name, time.cold(input.line, values: values, failure: .lost))
            }
        )
    }

    /// The source of this name, as letters.
    package subscript(dynamicMember name: String) -> Signal<String, Trouble> {
        guard let source = sources[name] else { preconditionFailure("the picture has no input '\(name)'") }
        return source.signal
    }

    /// The source `n`, as numbers.
    package var n: Signal<Int, Trouble> { self["n"].map { Int($0) ?? -1 } }
    /// The source `trigger`, which cannot fail.
    package var trigger: Signal<String, Never> { self["trigger"].flatMapError { _ in .never } }
    /// The source `other`, which cannot fail.
    package var other: Signal<String, Never> { self["other"].flatMapError { _ in .never } }
    /// The source `p`, with `t` for true and `f` for false.
    package var p: Signal<Bool, Trouble> { self["p"].map { $0 == "t" } }
    /// The source `q`, with `t` for true and `f` for false.
    package var q: Signal<Bool, Trouble> { self["q"].map { $0 == "t" } }

    /// A lifetime that ends after this number of frames.
    package func lifetime(_ frames: Int) -> Lifetime {
        let lifetime = Lifetime()
        time.schedule(after: time.frame * frames) { lifetime.end() }
        return lifetime
    }

    private subscript(name: String) -> Signal<String, Trouble> { self[dynamicMember: name] }
}
