// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

@Suite struct FlatteningTests {
    private let time = Timeline()

    @Test func latest() {
        let (first, second) = (time.cold("1-1-1-1|"), time.cold("2-2-2|"))
        let outer = time.cold("a--b|").signal
        time.expect(outer.flatMap(.latest) { $0 == "a" ? first.signal : second.signal }, "1-12-2-2|")
        time.expect(first, ["^--!"])
        time.expect(second, ["---^----!"])
        time.expect(time.cold("a-----|").signal.flatMap(.latest) { _ in self.time.cold("1|").signal }, "1-----|")
        time.expect(time.cold("a-----").signal.flatMap(.latest) { _ in self.time.cold("1#").signal }, "1#")
        time.expect(time.cold("a-#").signal.flatMap(.latest) { _ in self.time.cold("1--").signal }, "1-#")
    }

    @Test func first() {
        let (first, second) = (time.cold("1-1-1|"), time.cold("2|"))
        let made = Log<Character>()
        let outer = time.cold("ab----c-|").signal
        time.expect(
            outer.flatMap(.first) { letter in
                made.add(letter)
                return letter == "a" ? first.signal : second.signal
            },
            "1-1-1-2-|"
        )
        #expect(made.entries == ["a", "c"])
    }

    @Test func race() {
        let (first, second) = (time.cold("---1-1|"), time.cold("-2-2|"))
        let outer = time.cold("ab---c--")
        time.expect(outer.signal.flatMap(.race) { $0 == "a" ? first.signal : second.signal }, "--2-2|")
        time.expect(first, ["^-!"])
        time.expect(second, ["-^---!"])
        // No other signal can win after the decision, so the operator disposes the source.
        time.expect(outer, ["^-!"])
    }

    @Test("A race terminates with its first termination")
    func aRaceEndsWithItsFirstEnd() {
        time.expect(time.cold("a---|").signal.flatMap(.race) { _ in self.time.cold("--|").signal }, "--|")
        time.expect(time.cold("a---|").signal.flatMap(.race) { _ in self.time.cold("--#").signal }, "--#")
        time.expect(time.cold("a-#").signal.flatMap(.race) { _ in self.time.cold("------1|").signal }, "--#")
        time.expect(time.cold("a-|").signal.flatMap(.race) { _ in self.time.cold("------1|").signal }, "------1|")
        time.expect(time.cold("--|").signal.flatMap(.race) { _ in self.time.cold("1|").signal }, "--|")
    }

    /// One signal wins, whichever threads the signals send on, and no value of another signal arrives.
    @Test func aRaceHasOneWinner() {
        for _ in 0..<50 {
            let outer = Subject<Int, Never>()
            let inners = (0..<20).map { _ in Subject<Int, Never>() }
            let recorder = outer.signal.flatMap(.race) { inners[$0].signal }.record()
            onThreads(3) { thread in
                for number in 0..<20 {
                    if thread == 0 { outer.send(number) }
                    for index in 0..<20 { inners[index].send(index) }
                }
            }
            #expect(!recorder.values.isEmpty)
            #expect(Set(recorder.values).count == 1)
        }
    }

    /// No value of an old signal arrives after a value of the new one, whichever threads they send on.
    @Test("With latest, no value of an older signal follows")
    func latestNeverGoesBack() {
        for _ in 0..<50 {
            let outer = Subject<Int, Never>()
            let inners = (0..<20).map { _ in Subject<Int, Never>() }
            let recorder = outer.signal.flatMap(.latest) { inners[$0].signal }.record()
            onThreads(3) { thread in
                for number in 0..<20 {
                    if thread == 0 { outer.send(number) }
                    for index in 0..<20 { inners[index].send(index) }
                }
            }
            #expect(recorder.values == recorder.values.sorted())
        }
    }

    @Test func flattening() {
        let signals = Signal<Signal<Int, Never>, Never>(values: [Signal(values: 1...2), Signal(values: 3...4)])
        #expect(signals.flatten(.concat).record().events == (1...4).map { .value($0) } + [.ended(.completed)])
        #expect(signals.flatten(.latest).record().values == [1, 2, 3, 4])
    }
}
